"""Different words for one value that every data set knows: sexes, sizes, languages, countries, states.

Owns general knowledge as data. Must not know any lake. Sources: ISO 3166-1, ISO 639-1, USPS two-letter codes.
"""

from __future__ import annotations

_GROUPS = """
female|f|woman|women|girl|girls|lady|ladies|fem|w|weiblich|frau|mujer|femenino|femme|feminin|donna|femmina|feminino
male|m|man|men|boy|boys|gentleman|mannlich|mann|hombre|masculino|homme|masculin|uomo|maschio
extra small|xs
small|s|sm
medium|m|med
large|l|lg
extra large|xl|x-large
carbon dioxide|co2
methane|ch4
nitrous oxide|n2o
sulfur dioxide|sulphur dioxide|so2
nitrogen dioxide|no2
carbon monoxide|co
ozone|o3
water|h2o
single|never married|unmarried|never-married
petrol|gasoline|gas
cheque|check
doctorate|phd|ph.d.|doctor of philosophy
bachelor|ba|bs|bachelors|bachelor's
master|ma|ms|masters|master's
high school|hs
republican|gop|r|rep
democratic|democrat|d|dem
independent|i|ind
vice president|vp
not applicable|n/a
cancelled|canceled|storniert|cancelado|cancelada|annule|annulee|annullato|geannuleerd
open|offen|abierto|abierta|ouvert|ouverte|aperto|aberto
closed|geschlossen|cerrado|cerrada|ferme|fermee|chiuso|fechado
delivered|geliefert|entregado|entregada|livre|livree|consegnato|entregue
shipped|versandt|versendet|enviado|enviada|expedie|spedito
paid|bezahlt|pagado|pagada|paye|payee|pagato|pago
pending|ausstehend|pendiente|en attente|in sospeso|pendente
active|aktiv|activo|activa|actif|active|attivo|ativo
inactive|inaktiv|inactivo|inactiva|inactif|inattivo|inativo
new|neu|nuevo|nueva|nouveau|nouvelle|nuovo|novo
used|gebraucht|usado|usada|usato
credit card|kreditkarte|tarjeta de credito|carte de credit|carta di credito|cartao de credito
cash|bar|barzahlung|efectivo|especes|contanti|dinheiro
invoice|rechnung|factura|facture|fattura
north|n|norte|nord|norden
south|s|sur|sud|suden|sul
east|e|este|ost|osten|est|leste
west|w|oeste|westen|ouest|ovest
center|centre|central|centro|zentrum|mitte
winter|invierno|hiver|inverno
spring|fruhling|fruhjahr|primavera|printemps
summer|sommer|verano|ete|estate|verao
autumn|fall|herbst|otono|automne|autunno|outono
monday|mon|montag|lunes|lundi|lunedi
tuesday|tue|dienstag|martes|mardi|martedi
wednesday|wed|mittwoch|miercoles|mercredi|mercoledi
thursday|thu|donnerstag|jueves|jeudi|giovedi
friday|fri|freitag|viernes|vendredi|venerdi
saturday|sat|samstag|sabado|samedi|sabato
sunday|sun|sonntag|domingo|dimanche|domenica
january|januar|enero|janvier|gennaio|janeiro
february|februar|febrero|fevrier|febbraio|fevereiro
march|marz|marzo|mars|marco
april|abril|avril|aprile
may|mai|mayo|maggio|maio
june|juni|junio|juin|giugno|junho
july|juli|julio|juillet|luglio|julho
august|agosto|aout
september|septiembre|septembre|settembre|setembro
october|oktober|octubre|octobre|ottobre|outubro
november|noviembre|novembre|novembro
december|dezember|diciembre|decembre|dicembre|dezembro
red|rot|rojo|roja|rouge|rosso|vermelho
blue|blau|azul|bleu|blu
green|grun|verde|vert
black|schwarz|negro|negra|noir|nero|preto
white|weiss|blanco|blanca|blanc|bianco|branco
yellow|gelb|amarillo|amarilla|jaune|giallo|amarelo
married|verheiratet|casado|casada|marie|mariee|sposato
divorced|geschieden|divorciado|divorciada|divorce|divorziato
salesperson|salesman|seller|vendedor|verkaufer|vendeur|venditore
accountant|contable|buchhalter|comptable|contabile
manager|boss|chief|jefe|leiter|chef|capo
murder|homicide
movie|film
car|automobile
soccer|football
pacific islander|pi
african american|black
hispanic|latino|latina|latinx
english|en|eng
french|fr|fra
german|de|deu|ger
spanish|es|spa
italian|it|ita
portuguese|pt|por
dutch|nl|nld
japanese|ja|jpn
chinese|zh|zho
russian|ru|rus
korean|ko|kor
arabic|ar|ara
hindi|hi|hin
swedish|sv|swe
polish|pl|pol
turkish|tr|tur
united states|us|usa|u.s.|u.s.a.|united states of america|america
united kingdom|uk|gb|gbr|great britain|u.k.|britain
germany|de|deu|ger|deutschland
france|fr|fra
italy|it|ita
spain|es|esp
portugal|pt|prt
netherlands|nl|nld|holland|the netherlands
belgium|be|bel
switzerland|ch|che|sui
austria|at|aut
sweden|se|swe
norway|no|nor
denmark|dk|dnk|den
finland|fi|fin
iceland|is|isl
ireland|ie|irl
poland|pl|pol
czech republic|cz|cze|czechia
slovakia|sk|svk|slovak republic
hungary|hu|hun
romania|ro|rou
bulgaria|bg|bgr
greece|gr|grc|gre
turkey|tr|tur|türkiye|turkiye
russia|ru|rus|russian federation
ukraine|ua|ukr
china|cn|chn|people's republic of china|prc
japan|jp|jpn
south korea|kr|kor|korea, rep.|republic of korea|korea, republic of|korea, south
north korea|kp|prk|korea, dem. people's rep.|korea, north
india|in|ind
pakistan|pk|pak
bangladesh|bd|bgd
indonesia|id|idn
vietnam|vn|vnm|viet nam
thailand|th|tha
malaysia|my|mys
philippines|ph|phl
singapore|sg|sgp
australia|au|aus
new zealand|nz|nzl
canada|ca|can
mexico|mx|mex
brazil|br|bra
argentina|ar|arg
chile|cl|chl|chi
colombia|co|col
peru|pe|per
venezuela|ve|ven|venezuela, rb
egypt|eg|egy|egypt, arab rep.
south africa|za|zaf|rsa
nigeria|ng|nga
kenya|ke|ken
ethiopia|et|eth
iran|ir|irn|iran, islamic rep.
iraq|iq|irq
israel|il|isr
saudi arabia|sa|sau|ksa
united arab emirates|ae|are|uae
ivory coast|ci|civ|cote d'ivoire
alabama|al
alaska|ak
arizona|az
arkansas|ar
california|ca
colorado|co
connecticut|ct
delaware|de
district of columbia|dc|washington dc|washington, d.c.
florida|fl
georgia|ga
hawaii|hi
idaho|id
illinois|il
indiana|in
iowa|ia
kansas|ks
kentucky|ky
louisiana|la
maine|me
maryland|md
massachusetts|ma
michigan|mi
minnesota|mn
mississippi|ms
missouri|mo
montana|mt
nebraska|ne
nevada|nv
new hampshire|nh
new jersey|nj
new mexico|nm
new york|ny
north carolina|nc
north dakota|nd
ohio|oh
oklahoma|ok
oregon|or
pennsylvania|pa
rhode island|ri
south carolina|sc
south dakota|sd
tennessee|tn
texas|tx
utah|ut
vermont|vt
virginia|va
washington|wa
west virginia|wv
wisconsin|wi
wyoming|wy
"""

_MEMBERS: dict[str, frozenset[int]] = {}
for _number, _line in enumerate(_GROUPS.split("\n")):
    for _word in filter(None, _line.split("|")):
        _MEMBERS[_word] = _MEMBERS.get(_word, frozenset()) | {_number}


def same_thing(a: str, b: str) -> bool:
    """Do two folded texts stand for one thing somewhere? A code may stand for several: `ca` is Canada and
    California.
    """
    return not _MEMBERS.get(a, frozenset()).isdisjoint(_MEMBERS.get(b, frozenset()))

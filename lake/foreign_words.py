"""More words of German, Spanish, French, Italian, Portuguese and Dutch that tables of offices, shops and
statistics are named by, each line behind the English for them.

Owns general vocabulary as data, by field; must not know any lake. Words that are English ones with another
meaning (`rat`, `red`, `or`, `son`, `pays`) are left out. All without diacritics and in lower case; of German
the plural where an ending does not tell it.
"""

from __future__ import annotations

FURTHER = """
member mitglied mitglieder miembro socio socios membre membres adherent membro soci leden
person personen persona personas personne personnes persone pessoa pessoas persoon
people leute gente gens
woman frau frauen mujer mujeres femme femmes donna donne mulher mulheres vrouw vrouwen
man mann hombre hombres homme hommes uomo uomini homem homens
family familie familia familias famille familles famiglia famiglie
guest gast gaste huesped huespedes invitado hote hotes ospite ospiti hospede gasten
visitor visita visitas visite visites besuche besuch
citizen ciudadano ciudadanos citoyen citoyens cittadino cittadini cidadao
resident bewohner residente residentes residenti
neighbourhood nachbarschaft vecindario voisinage vicinato vizinhanca buurt
voter wahler votante votantes electeur electeurs elettore elettori eleitor kiezer
vote stimme stimmen votos voix voti stemmen
election wahl wahlen eleccion elecciones elezione elezioni eleicao eleicoes verkiezing
party partei parteien partito partiti partij
law gesetz gesetze leyes loi lois legge leggi
court gericht tribunale rechtbank
police polizei policia politie polizia
crime straftat straftaten delikt delikte delito delitos reato reati misdrijf
accident unfall unfalle accidente accidentes incidente incidenti acidente ongeval
injured verletzt verletzte herido heridos blesse blesses ferito feriti ferido
dead tote toten muerto muertos fallecido fallecidos deces morti mortos obito obitos overleden
victim opfer victima victimas victime victimes vittima vittime vitima slachtoffer
damage schaden dano danos dommage dommages danno danni schade
claim anspruch reclamacion reclamaciones sinistre sinistres siniestro siniestros reclamo
loss verlust verluste perdida perdidas perte pertes perdita perdite perda verlies
compensation entschadigung indemnizacion indemnisation indennizzo indemnizacao vergoeding
insurance versicherung versicherungen seguro seguros assicurazione assicurazioni verzekering
fine bussgeld strafe multa multas amende amendes boete
permit genehmigung genehmigungen permiso permisos autorisation permesso licencia vergunning
application antrag antrage solicitud solicitudes candidature domanda candidatura aanvraag
decision entscheidung beschluss decisione decisao besluit
reason grund ursache motivo motivos raison razon motivi razao reden oorzaak
purpose zweck proposito scopo finalidade doel
cause ursachen causa causas
result ergebnis ergebnisse resultado resultados resultat resultats risultato risultati resultaat
outcome ausgang desenlace esito
measure massnahme massnahmen medida medidas mesure mesures misura misure maatregel
measurement messung messungen messwert medicion mediciones misurazione medicao meting
observation beobachtung observacion osservazione observacao waarneming
sample proben stichprobe muestra muestras echantillon echantillons campione campioni amostra amostras
analysis analyse analysen analisis analisi
laboratory laboratorio laboratoire laboratorium
finding befund befunde hallazgo hallazgos constat referto referti achado bevinding bevindingen
result uitslag uitslagen esiti
test bepaling bepalingen
unit eenheid eenheden masseinheit masseinheiten
lower_limit untergrenze ondergrens
upper_limit obergrenze bovengrens
limit grenzwert grenzwerte limite limites limiti grenswaarde
urgent dringend eilig urgente urgentes urgenti spoed
delivery entbindung entbindungen parto partos parti accouchement accouchements bevalling bevallingen
bag beutel sacca sacche zak zakken
withdrawal entnahme extraccion prelievo prelievi afname
test prufung prufungen prueba pruebas epreuve prova toets
exam klausur examen examenes esame esami exame
grade schulnote cijfer
value messwerte
rate tasa tasas taux tasso cijfers
ratio verhaltnis verhouding
index kennzahl indice
difference differenz unterschied diferencia ecart differenza diferenca verschil
change veranderung cambio variazione mudanca wijziging
growth wachstum zuwachs crecimiento croissance crescita crescimento groei
increase erhohung aumento augmentation toename
decrease ruckgang disminucion diminution diminuzione diminuicao daling
sum suma somme somma soma
average mittelwert schnitt moyen medio medie gemiddelde
median zentralwert mediana mediane
deviation abweichung desviacion deviazione desvio afwijking
highest hochste hoechste maximo maximos massimo massimi hoogste
lowest niedrigste minimo minimos minimi laagste
first erste erster erstes primero primera primo primeiro eerste
last letzte letzter letztes ultimo ultima dernier derniere laatste
previous vorherige vorige precedente
next nachste siguiente suivant prossimo proximo volgende
new neu neue neuer nuevo nueva nouveau nouvelle nuovo nuova novo nieuw
old alte viejo vieja vieux ancien vecchio velho oud
open offen abierto ouvert aperto aberto
closed geschlossen cerrado chiuso fechado gesloten
active aktiv activo activa actif attivo ativo actief
valid gultig valido valide valable geldig
since seit desde depuis
until hasta jusque fino tot
from vanaf
period zeitraum periode periodo periodos
quarter quartal quartale trimestre trimestres kwartaal
duration dauer duracion duree durata duracao duur
minute minuten minuto minutos minuti minuut
second sekunde sekunden segundo segundos seconde secondi seconden
time zeit uhrzeit tiempo temps tijd
night nacht nachte noche noches nuit nuits notte notti noite nachten
morning morgen manana matin mattina manha ochtend
holiday feiertag feiertage festivo feriado festivi feestdag
vacation urlaub ferien vacaciones vacances vacanze ferias vakantie
working_day werktag werktage arbeitstag werkdag
deadline frist fristen plazo plazos echeance echeances scadenza prazo
due_date falligkeit faelligkeit vencimiento vencimento vervaldatum
entry eintritt eintrag iscrizione ingresso
exit austritt abgang salida salidas sortie sorties uscita uscite saida
arrival ankunft llegada llegadas arrivee arrivees arrivo arrivi chegada aankomst
departure abfahrt abflug abreise partenza partida vertrek
delay verspatung retraso retrasos retard retards ritardo ritardi atraso vertraging
destination ziel zielort destino destinos destinazione bestemming
origin herkunft ursprung origen procedencia origine provenienza origem herkomst
route strecke linie ruta rutas trajet itineraire percorso tratta rota
stop haltestelle haltestellen parada paradas arret arrets fermata fermate paragem halte
passenger fahrgast fahrgaste passagier passagiere pasajero pasajeros passager passagers passeggero passeggeri
passenger passageiro passageiros
driver fahrer conductores chauffeur conducteur conducteurs autista conducente motorista bestuurder
ship schiff schiffe barco barcos buque buques navire navires nave navi navio navios schip
port hafen hafens puerto puertos porto porti
bridge brucke brucken puente puentes pont ponts ponte ponti brug
road landstrasse carretera carreteras chaussee strada strade estrada weg
traffic verkehr trafico trafic traffico trafego verkeer
truck lkw lastwagen camion camiones camions caminhao vrachtwagen
bus autobus autobuses
bicycle fahrrad fahrrader bicicleta bicicletas velo velos bicicletta biciclette fiets
motor motoren
fuel kraftstoff treibstoff brennstoff combustible carburant carburante combustivel brandstof
consumption verbrauch consumo consommation verbruik
mileage kilometerstand laufleistung kilometraje kilometrage chilometraggio quilometragem
displacement hubraum cilindrada cylindree cilindrata
power leistung potencia puissance potenza vermogen
rated nenn
voltage spannung voltaje tensione tensao
current stromstarke corriente corrente stroom
electricity strom elektrizitat electricidad electricite elettricita eletricidade elektriciteit
energy energie energia energieverbrauch
heat warme waerme calor chaleur calore warmte
water wasser agua aguas eau eaux acqua acque
gas gaz erdgas
oil erdol petroleo petrole petrolio olie
coal kohle carbone charbon carvao kolen
wood holz madera legno hout
steel stahl acero acier acciaio aco staal
iron eisen hierro ferro ijzer
gold oro ouro goud
silver silber argento prata zilver
glass glas vidrio verre vetro vidro
paper papier papel
plastic kunststoff plastico plastique plastica
material werkstoff materialien materiales materiau materiaux materiale materiali
fabric stoff tejido tessuto tecido stof
diameter durchmesser diametro diametre doorsnede
radius halbmesser raggio raio straal
depth tiefe profundidad profondeur profondita profundidade diepte
thickness dicke starke espesor epaisseur spessore espessura dikte
volume volumen rauminhalt volum inhoud
capacity kapazitat fassungsvermogen capacidad capacite capacita capacidade capaciteit
density dichte densidad densite densita densidade dichtheid
pressure druck luftdruck presion pression pressione pressao druk
humidity feuchte luftfeuchte luftfeuchtigkeit humedad humidite umidita umidade vochtigheid
precipitation niederschlage regenmenge precipitacion precipitaciones precipitations precipitazione
precipitation precipitazioni
precipitation precipitacao neerslag
snow schnee nieve neige neve sneeuw
storm sturm unwetter tormenta tormentas tempete temporale tempesta tempestade
frost helada heladas gelata geada vorst
sunshine sonnenschein ensoleillement soleggiamento zon
cloud wolke wolken bewolkung nube nubes nuage nuages nuvola nuvem
air luft aire aria lucht
soil boden suelo suelos suolo bodem
noise larm ruido bruit rumore geluid
emission emissionen ausstoss emisiones emissioni emissoes uitstoot
pollution verschmutzung contaminacion inquinamento poluicao vervuiling
station messstelle wetterstation estaciones stazioni estacoes
sensor messgerat fuhler sensores capteur capteurs sensore sensori
machine maschine maschinen masch maquina maquinas macchina macchine
device gerat gerate geraet geraete aparato aparatos appareil appareils dispositivo dispositivos apparaat
equipment ausrustung ausstattung equipamiento equipement attrezzatura equipamento uitrusting
tool werkzeug werkzeuge herramienta herramientas outil outils attrezzo ferramenta gereedschap
workshop werkstatt talleres atelier ateliers officina officine werkplaats
repair reparatur reparaturen reparacion reparaciones reparation reparations riparazione riparazioni reparacao
maintenance wartung instandhaltung mantenimiento entretien manutenzione manutencao onderhoud
fault storung defekt averia averias panne pannes guasto falha
factory fabrik fabrica fabricas usine usines fabbrica fabbriche fabriek
production produktion fertigung herstellung produccion fabricacion produzione producao productie
manufacturer hersteller fabricante fabricantes fabricant fabricants produttore produttori fabrikant
material_number materialnummer
series baureihe
year_built baujahr bouwjahr
year_of_production produktionsjahr
operating_hours betriebsstunden
hall halle hallen salle salone
tank behalter depositos cuve cuves serbatoio serbatoi vasca
bottle flasche flaschen botella botellas bouteille bouteilles bottiglia bottiglie garrafa garrafas fles
bottle flessen
box kiste kisten schachtel caja cajas boite boites scatola scatole caixa caixas doos
pack packung packungen paquete paquetes paquet paquets pacco pacchi pacote verpakking
pallet paletten palets
container behaeltnis contenedor contenedores conteneur contenitore
shelf regale estante estanteria etagere scaffale prateleira
lot partie lote lotes lotto lotti
batch chargen
field feld felder campo campos champs campi akker
parcel flurstuck parzelle parzellen parcela parcelas parcelle parcelles particella appezzamento perceel
wine wein weine vino vinos vins vini vinho vinhos wijn
variety sorten variedad variedades cepages varieta variedade
harvest ernte lese cosecha cosechas recolte recoltes raccolto raccolta colheita oogst
farmer landwirt bauer bauern agricultor agricultores agriculteur agriculteurs agricoltore agricoltori boer
farm bauernhof granja granjas finca fincas fattoria fazenda boerderij
crop kultur cultivo cultivos coltura colture gewas
plant pflanze pflanzen planta plantas plante plantes pianta piante
planted gepflanzt pflanzjahr plantado plantada piantato
tree baum baume arbol arboles arbre arbres albero alberi arvore arvores bomen
forest wald walder bosque bosques foret forets bosco boschi floresta
fruit obst frucht fruta frutas frutta
vegetable gemuse verdura verduras hortaliza verdure groente
meat fleisch carne carnes viande viandes vlees
fish fisch fische pescado pez poisson poissons pesce pesci peixe
milk milch leche lait latte leite melk
bread brot pao
cheese kase queso fromage formaggio queijo kaas
egg eier huevo huevos oeuf oeufs uovo uova ovo ovos
sugar zucker azucar sucre zucchero acucar suiker
salt salz zout
beer bier biere cerveza birra cerveja
coffee kaffee caffe koffie
animal tiere tieren animales animaux animale animali dier dieren
cattle rinder vieh ganado betail bestiame gado vee
cow kuh kuhe vaca vacas vache vaches mucca mucche koe
pig schwein schweine cerdo cerdos porc porcs maiale suino suini porco varken
sheep schaf schafe oveja ovejas mouton moutons pecora pecore ovelha schaap
horse pferd pferde caballo caballos cheval chevaux cavallo cavalli cavalo paard
cat katze katzen gato gatos gatto gatti
bird vogel aves oiseau oiseaux uccello uccelli passaro
treatment behandlung behandlungen tratamiento tratamientos traitement traitements trattamento trattamenti
treatment tratamento tratamentos
agent wirkstoff mittel agente agentes
dose dosis dosierung dosi
pest schadling plaga plagas ravageur parassita praga
weed unkraut maleza
fertilizer dunger duenger abono abonos fertilizante engrais concime kunstmest
medicine arzneimittel medikament medikamente medicamento medicamentos medicament medicaments farmaco farmaci
medicine geneesmiddel
diagnosis diagnose diagnosen diagnostico diagnosi
symptom beschwerden sintoma sintomas symptome symptomes sintomi
surgery cirugia chirurgie cirurgia
nurse krankenschwester pflegekraft enfermera enfermero infirmiere infirmier infermiere enfermeira
nurse verpleegkundige
care pflege cuidado cuidados soin soins cura zorg
health gesundheit salud sante saude gezondheid
vaccination impfung impfungen vacunacion vacuna vaccinazione vacinacao
blood blut sangre sangue bloed
smoker raucher fumador fumadores fumeur fumeurs fumatore roker
pregnancy schwangerschaft embarazo grossesse gravidanza gravidez zwangerschap
married verheiratet casado casada mariee sposato
marital_status familienstand zivilstand
religion konfession religione religiao
nationality nationalitat staatsangehorigkeit nacionalidad nationalite nazionalita nacionalidade nationaliteit
profession profesion professione profissao beroep
occupation ocupacion occupazione ocupacao
work arbeit trabajo travail lavoro trabalho
worker arbeiter trabajador trabajadores ouvrier ouvriers travailleur lavoratore lavoratori trabalhador
worker arbeider
staff belegschaft plantilla effectif effectifs organico pessoal
manager leiter vorgesetzter gerente gerentes jefe responsable gestionnaire dirigente responsabile gestor
wage lohne nomina retribuzione retribuicao
salary gehalter gehaelter bezuge salarios salaires remuneracion
gross_pay brutto bruttogehalt bruto
net netto neto liquido
bonus pramie praemie gratificacion
pension rente renten jubilacion retraite pensione pensioni aposentadoria pensioen
unemployed arbeitslos arbeitslose desempleado desempleados chomeur chomeurs disoccupato disoccupati
unemployed desempregado
unemployed werkloos
unemployment arbeitslosigkeit desempleo paro chomage disoccupazione desemprego werkloosheid
employment beschaftigung empleo emploi emprego werkgelegenheid
employed beschaftigte erwerbstatige ocupados
education bildung ausbildung educacion formazione istruzione educacao onderwijs opleiding
level stufe niveau nivel niveles livello livelli
subject fach facher asignatura asignaturas matiere matieres disciplina vak
university universitat hochschule universidad universite universita universidade universiteit
degree abschluss titulacion diplome laurea
research forschung investigacion recherche ricerca pesquisa onderzoek
science wissenschaft ciencia scienza wetenschap
office buro buero oficina oficinas bureau bureaux ufficio uffici escritorio kantoor
administration verwaltung administracion amministrazione administracao bestuur
authority behorde amt autoridad autorite autorita autoridade overheid
ministry ministerium ministerio ministere ministero
bank banken banco bancos banque banques banca banche
money geld dinero denaro dinheiro
currency wahrung moneda devise devises monnaie valuta moeda
exchange_rate wechselkurs wisselkurs
score puntaje punktzahl puntuacion puntuaciones punteggio pontuacao
point punkt punkte punto puntos punti ponto pontos punten
loan kredit kredite darlehen prestamo prestamos credito creditos pret emprestimo lening
interest zins zinsen zinssatz interes intereses interet interets interesse interessi juros
debt schulden deuda deudas dette dettes debito debiti divida schuld
budget haushaltsplan presupuesto presupuestos bilancio orcamento begroting
expense ausgabe ausgaben aufwand gasto gastos depense depenses spesa spese despesa despesas uitgave uitgaven
income einkommen einnahmen einnahme ingreso revenu revenus reddito redditi renda inkomen inkomsten
revenue erlos erlose ertrag ertrage recette recettes ricavo ricavi receita receitas opbrengst
profit gewinn gewinne ganancia ganancias beneficio beneficios benefice benefices profitto lucro winst
margin marge handelsspanne margen margine margem
turnover geschaftsvolumen facturacion
fee gebuhr gebuehr gebuhren tarifa tarifas tarif tarife frais honoraires tariffa tariffe tarief
rent miete mieten alquiler alquileres loyer loyers affitto affitti aluguel huur
deposit anzahlung kaution deposito fianza acompte cauzione caparra
bill rechnungsbetrag bolletta
receipt quittung beleg belege recibo recibos recu recus ricevuta ricevute
purchase kauf kaufe einkauf compra compras achat achats acquisto acquisti aankoop
buyer kaufer kaeufer comprador compradores acheteur acheteurs acquirente compratore koper
seller verkaufer vendedor vendedores vendeur vendeurs venditore venditori verkoper
offer angebot angebote oferta ofertas offre offres offerta offerte aanbod
sample muster
return retoure ruckgabe rucksendung devolucion devoluciones retour retours reso resi devolucao
complaint beschwerde reklamation reklamationen queja quejas plainte plaintes denuncia klacht
goods guter mercancia mercancias marchandise marchandises merce merci mercadoria goederen
export ausfuhr exportacion exportaciones exportation esportazione exportacao uitvoer
import einfuhr importacion importaciones importation importazione importacao invoer
customs zoll aduana douane dogana alfandega
duty zollabgabe arancel aranceles derechos droits dazio dazi tributi
direction richtung direccion direzione direcao richting
fog nebel niebla brouillard nebbia nevoeiro
pilot lotse lotsen
pilotage lotsung lotsungen pilotaje loodsen
landing anlandung anlandungen desembarque desembarques debarquement debarquements sbarco sbarchi aanlanding
catch fang fange captura capturas prises cattura catture vangst vangsten
berth liegeplatz liegeplatze atraque atraques ormeggio ormeggi ligplaats
tug schlepper remolcador remolcadores remorqueur remorqueurs rimorchiatore sleepboot
cargo ladung fracht carga cargas cargaison carico lading vracht
scientific cientifico cientifica scientifique scientifico scientifica wissenschaftlich wetenschappelijk
market markt markte mercado mercados marche mercato mercati
competition wettbewerb competencia concurrence concorrenza concorrencia
competitor konkurrent mitbewerber competidor concorrente
advertising werbung publicidad publicite pubblicita publicidade reclame
campaign kampagne kampagnen campana campagne campagnes campagna campanha
channel kanal kanale canales canaux canale canali
website webseite sitio sito
online_shop onlineshop
complaint_number beschwerdenummer
contact kontakt kontakte contacto contactos contatto contatti contato
phone rufnummer movil cellulare celular mobiel
letter lettre lettera
postal_code postcode
house haus hauser casa casas maison maisons huis huizen
apartment wohnung wohnungen piso pisos apartamento apartamentos appartement appartements appartamento
apartment appartamenti
floor stockwerk geschoss etage etages verdieping
land grundstuck terreno terrenos terrains grond
garden garten jardin jardines jardins giardino jardim tuin
kitchen kuche cocina cucina cozinha keuken
bath badezimmer bano banos bagno banheiro badkamer
bedroom schlafzimmer dormitorio dormitorios quarto slaapkamer
bed bett betten cama camas letto letti bedden
door tur tuer puerta puertas portes porta deur
window fenster ventana ventanas fenetre fenetres finestra finestre janela raam
roof dach techo tejado toit toits tetto telhado dak
wall mauer pared paredes mur murs muro parede muur
hotel unterkunft alojamiento hebergement alloggio alojamento
booking buchung buchungen reserva reservas reservierung prenotazione prenotazioni boeking
stay aufenthalt estancia estancias sejour sejours soggiorno estadia verblijf
overnight_stay ubernachtung ubernachtungen uebernachtungen pernoctacion pernoctaciones nuitee nuitees
overnight_stay pernottamento
overnight_stay pernottamenti overnachting
tourist touristen turista turistas touriste touristes turisti toerist
tour fuhrung fuehrung fuehrungen fuhrungen rundgang rondleiding
trip reise reisen fahrt fahrten viaje viajes voyage voyages viaggio viaggi viagem viagens reis
event veranstaltung veranstaltungen evento eventos evenement evenements eventi
exhibition ausstellung ausstellungen exposicion exposiciones expositions esposizione exposicao tentoonstelling
museum museen museo museos musee musees musei museu
theatre teatro teatros teatri
cinema kino kinos cine cines kinofilm
film filme pelicula peliculas filmes pellicola
music musik musica musique muziek
song lieder cancion canciones chanson chansons canzone canzoni cancao
artist kunstler artista artistas artiste artistes artisti kunstenaar
director regisseur regie realisateur regista diretor
actor schauspieler acteur acteurs attore attori ator
picture bild bilder imagen imagenes immagine immagini imagem afbeelding
newspaper zeitung zeitungen periodico periodicos journaux giornale giornali jornal krant
magazine zeitschrift zeitschriften revista revistas revue rivista tijdschrift tijdschriften
subscriber abonnent abonnenten abonado abonados abonne abonnes abbonato abbonati assinante abonnee abonnees
cancelled gekundigt storniert cancelado resilie annullato cancelado opgezegd geannuleerd
carrier spediteur spedition transportista transporteur spedizioniere transportadora vervoerder
usage nutzung frequentation affluence affluenza
paid pagata pagate
reader leser lector lectores lecteur lecteurs lettore lettori leitor lezer
article beitrag
word wort worter palabra palabras mot mots parola palavra woord
text texte texto textos testo testi tekst
question frage fragen pregunta preguntas domande pergunta vraag
answer antwort antworten respuesta respuestas reponse reponses risposta risposte resposta antwoord
survey umfrage befragung encuesta encuestas enquete enquetes sondage sondages sondaggio indagine inquerito
respondent befragte encuestado encuestados repondant intervistato
opinion meinung opiniones avis opinione opiniao mening
rating bewertung bewertungen valoracion valoraciones evaluations valutazione avaliacao beoordeling
quality qualitat gute calidad qualite qualita qualidade kwaliteit
risk risiko risiken riesgo riesgos risque risques rischio rischi risco risicos
safety sicherheit seguridad securite sicurezza seguranca veiligheid
error fehler errores erreur erreurs errore errori erro fout
problem probleme problema problemas problemi probleem
proposal vorschlag propuesta propuestas proposta voorstel
agreement vereinbarung abkommen acuerdo acuerdos accords accordo acordo overeenkomst
association verein vereine verband asociacion asociaciones associazione associazioni associacao vereniging
club klub clubes circolo
foundation stiftung fundacion fondation fondazione fundacao stichting
organization organisationen organizacion organizzazione organizacao organisatie
branch niederlassung sede sedi zweigniederlassung
sector branche branchen sectores secteur secteurs settore settori setor
industry gewerbe industria industrias industrie industrien
agriculture landwirtschaft agricultura agricoltura landbouw
trade handel comercio commercio
service dienst dienstleistung servicio servicios servizio servizi servico servicos
county landkreis kreis comarca comarche contea
village dorf dorfer pueblo pueblos aldea villages villaggio dorp
border grenze frontera confine fronteira grens
coast kuste costa kust
mountain berg berge gebirge montanas montagne montagnes montagna montanha
hill hugel colina colinas colline collina heuvel
slope steigung pendiente pente pentes pendenza declive helling
valley valle valles vallee vallees valli
river fluss flusse rio rios fleuve fleuves riviere rivieres fiume fiumi rivier
lake lago lagos lac lacs laghi meer
sea ozean oceano zee
island insel inseln isla islas ile iles isola isole ilha ilhas eiland
north norden
south suden sueden
east osten
west westen
latitude breitengrad latitud latitudine breedtegraad
longitude langengrad laengengrad longitudine lengtegraad
coordinate koordinate koordinaten coordenada coordenadas coordonnees coordinata
map karte landkarte mapa mapas mappa kaart
sport sportart deporte deportes esporte
athlete sportler athlet athleten atleta atletas atleti atleet
referee schiedsrichter arbitro arbitros arbitre arbitri scheidsrechter
league liga ligas ligue lega competitie
championship meisterschaft meisterschaften campeonato campeonatos championnat championnats campionato
championship campionati
championship kampioenschap
tournament turnier turniere torneo torneos tournoi tournois tornei torneio toernooi
cup pokal copa coppa beker
win sieg victorias victoire victoires vittoria vittorie vitoria overwinning
defeat niederlage niederlagen derrota derrotas defaite defaites sconfitta sconfitte nederlaag
draw unentschieden empate empates nul pareggio pareggi gelijkspel
winner gewinner sieger ganador ganadores gagnant gagnants vincitore vincitori vencedor winnaar
rank platzierung classement classifica posicao
stadium stadion estadio estadios stades stadio stadi
spectator zuschauer espectador espectadores spectateur spectateurs spettatore spettatori toeschouwer
ticket eintrittskarte karten entradas boleto boletos billet billets biglietto biglietti bilhete kaartje
element elemente elemento elementos elementi
symbol zeichen simbolo simbolos symbole symboles
atom atome
stable stabil estable estables stabile stabili estavel stabiel
table tabelle tabellen tabla tablas tableau tableaux tabella tabela tabel
list liste lista listas listes elenco lijst
register verzeichnis registro registros registre registres registri
catalog katalog kataloge catalogo catalogos
overview ubersicht uebersicht resumen apercu riepilogo overzicht
report bericht berichte informe informes rapport rapports relazione relatorio verslag
statement auszug extracto releve releves estratto extrato afschrift
file datei dateien archivo archivos fichier fichiers archivio arquivo
master_data stammdaten anagrafica stamgegevens
data daten datos donnees dati dados gegevens
designation bezeichner denominacion denominaciones denominazione benaming
identifier kennung identificador identifiant identificativo
serial_number seriennummer laufende
mark merkmal merkmale
note anmerkung anmerkungen hinweis hinweise notiz opmerking
comment kommentar kommentare comentario comentarios commentaire commentaires commento commenti opmerkingen
change_date anderungsdatum
created erstellt angelegt creado creada creato criado
modified geandert geaendert modificado modifie modificato gewijzigd
deleted geloscht eliminado supprime eliminato verwijderd
approved genehmigt aprobado approuve approvato aprovado goedgekeurd
paid bezahlt pagado pagada paye payee pagato
sent gesendet enviado envoye inviato verzonden
received erhalten recibido ricevuto recebido ontvangen
sold verkauft vendido vendida vendu vendue venduto verkocht
cancelled storniert cancelado annule annullato geannuleerd
payout auszahlung auszahlungen desembolso versement versements esborso uitbetaling
contribution beitrage mitgliedsbeitrag contribucion cotisation cotisations contributo contributi contribuicao
contribution bijdrage
donation spende spenden donacion donaciones dons donazione donazioni doacao
subsidy forderung foerderung zuschuss subvencion subvenciones subvention subventions sovvenzione subsidio
grant stipendium beca becas bourse bourses borsa bolsa beurs
seniority antiguedad anciennete anzianita dienstzeit
joined beigetreten alta altas
case caso casos falle gevallen
hunting jagd caza chasse caccia jacht
game wildart wildbret selvaggina
fire brande feuer incendio incendios incendie incendies feu feux incendi brandweer
firefighter feuerwehrleute bombero bomberos pompier pompiers pompieri bombeiros brandweerlieden
felling hieb einschlag holzeinschlag tala talas coupe abattage taglio abate houtkap
protected schutz geschutzt protegido protegida protege protetto beschermd
planned soll geplant previsto prevista prevu prevus gepland
spent ausgegeben gastado speso
department ressort ressorts
owner inhaber propietarios proprietaires proprietario proprietari
owner eigenaar
contractor unternehmer auftragnehmer contratista contratistas prestataire appaltatore appaltatori aannemer
subsidy subsidie
path pfad wanderweg sendero senderos sentier sentiers sentiero sentieri
machine maskin maskiner
customer kund kunder
order bestallning ordrer bestilling zamowienie zamowienia
price pris priser ceny
date dato
year aar rok
name namn navn nazwa imie
city stad miasto
quantity antal ilosc
amount belopp belob kwota
purchase inkop indkob kop zakup zakupy
sale forsaljning salg sprzedaz
employee anstalld ansatt medarbejder pracownik pracownicy
supplier leverantor leverandor dostawca dostawcy
manufacturer tillverkare producent
invoice faktura fakturor fakturaer faktury
package embalagem embalagens
name designacao denominacao
expiry validade
order encomenda encomendas
invoice faturas fatura nota_fiscal
address morada endereco
municipality concelho municipio municipios
parish freguesia freguesias
district distrito distritos bairro
state uf
discount desconto descontos
tax imposto impostos
rate taxa taxas
sale venda vendas
warehouse armazem armazens
part peca pecas
wage ordenado ordenados
shift turno turnos
surname apelido sobrenome
observation obs observacao observacoes
consultation consulta consultas
vaccine vacina vacinas
analysis analise analises
wait espera
doctor medico medicos
nurse enfermeiro enfermeira enfermeiros
patient doente doentes
exam exame exames
student aluno alunos
class turma turmas
subject disciplina disciplinas
publisher editora editoras
game jogo jogos
team equipa equipe equipas equipes
goal golo golos gols
coach treinador treinadores tecnico
bedroom quartos quarto
ticket bilhete bilhetes passagem passagens
train comboio comboios trem
line linha linhas
car carro carros
kilometer quilometro quilometros
policy apolice apolices
claim sinistro sinistros
account conta contas
movement movimento movimentos
work obra obras
grape uva uvas casta
farm quinta fazenda herdade
animal animais
breed raca racas
owner dono dona donos proprietario
color cor cores
size tamanho tamanhos
delivery entregas entrega
addressee destinatario destinatarios
sender remetente remetentes
hour horas
end fim termino
user utilizador usuario utilizadores usuarios
warranty garantia garantias
breakdown avaria avarias
tenant inquilino inquilinos
building predio predios edificio
floor andar andares
given administrada administrado
treatment tratamento tratamentos
prescription receituario rezept ordonnance prescrizione
"""

"""Everyday words of French, German, Spanish, Italian, Portuguese, Dutch, Swedish, Danish and Polish for what
shops, offices, works, schools and clinics keep tables of, each line behind the English for them.

Owns general vocabulary as data; must not know any lake. English words of another meaning (`camera`,
`formation`, `piano`) are left out: the ones that tables are named by all the same stand in `synonyms`. All
without diacritics and in lower case.
"""

from __future__ import annotations

EVERYDAY = """
customer klient klienci kundin
order ordre bestallningar
order_line ligne lignes orderrad orderrader ordrelinje ordrelinjer pozycja pozycje
order_line righe linea linhas
product vara varor vare varer wyrob wyroby towar towary
complaint reclamations reclami lamentela queixa queixas klachten klagomal reklamacja reklamacje skarga
complaint skargi
refund remboursement remboursements ruckerstattung erstattung reembolso reembolsos rimborso rimborsi
refund terugbetaling aterbetalning zwrot zwroty
discount remises rabais rabatte descuentos sconti desconto descontos korting kortingen rabaty
shipping versandkosten versand envio envios spedizione spedizioni verzending frakt wysylka
delivery livraisons lieferungen entregas consegne leveringen leverans leveranser dostawa dostawy
receipt quittance kvitto kvittering
revenue incasso incassi opbrengsten intakt intakter inntekt przychod przychody omsattning omsetning
expense utgift utgifter udgift wydatek wydatki
profit utile lucros vinst zysk
balance solde kontostand saldi
account comptes konten cuentas conti conta contas rekeningen konta
loan prestito leningen pozyczka kredyt
interest ranta odsetki
currency waehrung divisa waluta
tax steuern impots taxe impuestos imposte tassa imposto belasting skatt skat podatek podatki
salary sueldos stipendi lonn wynagrodzenie placa pensja
hours stunden heures horas uren timmar godziny
overtime uberstunden overuren overtid nadgodziny
holiday conge conges ferie verlof urlop
training schulung schulungen fortbildung formacion capacitacion formacao opleidingen utbildning utbildningar
training uddannelse szkolenie szkolenia
course kurse cursos corsi cursus kursus kursy
teacher enseignants profesores insegnanti docente docenti professora leraar larare nauczyciel
student etudiants estudiante studenti alunos leerling elev elever uczen studenci
school schulen ecoles escuelas scuole skola skole szkola
grade zeugnisnote nota notas betyg karakter ocena oceny guteklassen klas klass
exam examens tentamen egzamin
rating evaluacion valutazioni betyget
visitor visiteur visitante visitatore bezoeker besokare besoger gosc goscie zwiedzajacy
buyer acquirenti kopers kopare kober nabywca kupujacy
seller saljare sprzedawca
owner dueno agare ejer wlasciciel
driver autisti condutor forare kierowca
worker obrero obreros operaio operai operario arbetare robotnik
manager direttore leidinggevende chefen kierownik
job berufe metier metiers oficio mestiere yrke zawod stanowisko fonction
nurse pfleger infirmiers infermieri enfermeiro sjukskoterska pielegniarka
doctor arzte medecins medicos artsen lakare lege lekarz lekarze
patient pazienti patienten pacjent pacjenci
disease krankheiten enfermedades malattie doenca doencas ziekte ziekten sjukdom sygdom choroba choroby
drug lakemedel leki
reason orsak arsag powod powody
cause orsaken przyczyna przyczyny
description beskrivning beskrivelse opis libelle
comment uwaga uwagi
status etats estados stati toestand tillstand tilstand
kind tipos rodzaj rodzaje
level niveaux niva poziom
size tailles talla taglia tamanho storlek storrelse rozmiar
weight pesi vikt vaegt vekt waga masa
length comprimento langd laengde dlugosc
width anchura largura breedte bredd bredde szerokosc
height hojd hoejde wysokosc
depth djup dybde glebokosc
area oppervlakte areal powierzchnia
volume volym objetosc
distance distanze afstand avstand odleglosc
speed velocidade snelheid hastighet hastighed predkosc
temperature temperaturen
humidity feuchtigkeit fuktighet fugtighed wilgotnosc
density densitet gestosc
pressure tryck tryk cisnienie
power effekt
energy energias
consumption consumi forbrukning forbrug zuzycie
duration varaktighet varighed
start borjan poczatek rozpoczecie
end koniec zakonczenie
day tage dagen dagar dage dzien
week wochen semaines semanas settimane weken vecka veckor uge tydzien tygodnie
month maanden manad manader maned miesiac miesiace
year jaren aret
town stadte miejscowosc orte
country landen kraj kraje
street strassen calles ruas gata vej ulica
address adressen direcciones indirizzi adress
phone telefonnummer
region gebiet bezirke regione regioni regiao gewest distrikt omrade okreg
building batiments edificios edifici gebouw gebouwen byggnad bygning budynek budynki
room raume salles chambres sala habitaciones stanze kamer kamers pokoj pokoje
floor etagen piani andar vaning pietro
hall hala
workshop verkstad vaerksted warsztat warsztaty
factory fabriken zaklad
warehouse lagerhaus entrepots almacenes magazzini armazem magazijn magazyn
shop laeden geschaft filialen negozi winkels butik butiker butikk sklep sklepy
station wache bahnhofe gare gares stacja
team equipes equipos squadre ploeg druzyna zespol
machine maszyna maszyny
tool attrezzi verktyg vaerktoj narzedzie
part ersatzteil ersatzteile pieza piezas pezzo pezzi peca pecas onderdeel onderdelen czesc czesci
device apparecchio apparat urzadzenie
vehicle fahrzeuge vehicules vehiculos veicoli voertuigen fordon koretoj pojazd pojazdy
car voitures coches carro carros bilar biler samochod
ship bateau bateaux schepen fartyg skib statek
trip trajets ritten resa resor rejse turer przejazd podroz
route percorsi rute rutt trasa trasy
repair reparo reparatie naprawa naprawy
maintenance wartungen underhall vedligehold konserwacja
inspection inspektion inspektionen kontrolle controle controles inspeccion ispezione ispezioni inspecao
inspection keuring besiktning tilsyn kontrola kontrole
fault storungen defaut guasti storingen fejl usterka awaria awarie
downtime stillstand stillstande fermo stilstand driftstopp nedetid przestoj przestoje
damage skada skador skade skader szkoda szkody
injured skadade skadet ranny ranni
rescue rettung sauvetage rescate soccorso resgate raddning redning ratunek
call anruf anrufe appel appels llamada llamadas chiamata chiamate chamada oproep samtal opkald rozmowa
call polaczenie
contract vertrage contrats contratos contratti kontrakt kontrakter avtal aftale umowa umowy
raw_material rohstoff rohstoffe grondstof ravara surowiec surowce
wood bois trae drewno
species holzart especie especies gatunek gatunki
quality guteklasse kvalitet jakosc
batch seria partia
shift schicht schichten turno turnos turni ploegendienst skift zmiana zmiany
plan dienstplan plano plany
language sprachen langues idiomas lingue taal talen sprak sprog jezyk jezyki
colour farben couleurs colori kleuren farg farve kolor kolory
book libri boeken bocker ksiazka ksiazki
author autoren auteurs autori forfattare forfatter autorzy
title titres titulos titoli tytul tytuly rubrik
animal animais djur dyr zwierze zwierzeta
ticket billete billetes entrada biljett bilet bilety
seat platz platze asiento asientos posto posti assento zitplaats plats saede miejsce miejsca
subscription abonnement abonnements abonnemente suscripcion abbonamento abbonamenti assinatura prenumeration
subscription abonament
donor donateur donateurs donante donantes donatore donatori doador givare dawca darczynca
donation gava darowizna darowizny
paid betaald betald betalt zaplacono oplacony
passed bestanden reussi superato geslaagd godkand bestaet zdany
score poang punkty wynik
expired abgelaufen vencido scaduto verlopen
cancelled annulee annules anulado avbestalld annulleret anulowane
delivered geliefert livree entregado consegnato entregue geleverd levererad leveret dostarczone
active aktywny
voluntary ehrenamt ehrenamtlich benevole benevoles voluntario volontario vrijwilliger vrijwilligers ideell
voluntary frivillig wolontariusz
reference referencia riferimento referentie referens
number numeros numeri numer
name benamning benamningar beteckning betegnelse
boat batar batarna boote barche botes lodzie
rental uthyrning uthyrningar udlejning utleie vermietung vermietungen noleggio noleggi verhuur wynajem
fee avgift avgifter gebyr gebyrer oplata oplaty
seat platser pladser plasser
built byggar byggd bygget
cleaning stadning rengoring reinigung nettoyage limpieza pulizia schoonmaak sprzatanie
booking bokning bokningar rezerwacja rezerwacje
ship skepp statki
garden tradgard ogrod
tool narzedzia
founded gegrundet fonde fondee fundado fondato opgericht grundad grundlagt zalozony
"""

"""Words of German, Spanish, French, Italian, Portuguese and Dutch that tables and columns are named by, in
English.

Owns general vocabulary as data, and taking German compounds apart. Must not know any lake. Words that are
also English ones with another meaning (`art`, `data`, `note`, `prix`) are left out. All without diacritics,
as `names.normal` writes them.
"""

from __future__ import annotations

from functools import lru_cache

from rewright.lake.eastern_words import EASTERN
from rewright.lake.everyday_words import EVERYDAY
from rewright.lake.foreign_words import FURTHER
from rewright.lake.shortened import known as english_word

_WORDS = """
customer kunde kunden kd cliente clientes klant klanten
order bestellung bestellungen auftrag auftrage pedido pedidos commande commandes ordine ordini bestelling
order bestellingen encomenda
supplier lieferant lieferanten proveedor proveedores fournisseur fournisseurs fornitore fornitori fornecedor
supplier fornecedores leverancier
article artikel articulo articulos articolo articoli artigo artigos
product produkt produkte producto productos produit produits prodotto prodotti produto produtos
employee mitarbeiter angestellte empleado empleados employe employes dipendente dipendenti funcionario
employee funcionarios medewerker
department abteilung abteilungen departamento departamentos depto departement reparto afdeling
company firma firmen unternehmen empresa empresas entreprise entreprises azienda aziende societe bedrijf
invoice rechnung rechnungen factura facturas facture factures fattura fatture fatura factuur
payment zahlung zahlungen bezahlung pago pagos paiement paiements pagamento pagamenti betaling
sale verkauf verkaufe vente venta verkoop
sales ventas ventes vendite vendas umsatze
revenue umsatz ingresos fatturato omzet
amount betrag importe montant importo bedrag monto
price preis preise precio precios prezzo prezzi preco precos prijs
cost kosten costo costos coste costes cout couts custo custos
quantity menge cantidad quantite quantita quantidade hoeveelheid
count anzahl aantal
unit einheit unidad unite unita unidade
units einheiten unidades unites
stock bestand existencias voorraad giacenza
warehouse lager almacen entrepot magazzino
shop laden filiale tienda tiendas magasin magasins negozio loja lojas winkel
name nombre nom nome naam bezeichnung benennung
surname nachname familienname apellido apellidos cognome sobrenome achternaam
forename vorname prenom voornaam
title titel titulo titre titolo
description beschreibung descripcion descrizione descricao omschrijving
address adresse anschrift direccion indirizzo endereco adres
street strasse calle rua straat
city stadt ort ciudad ciudades ville villes citta cidade cidades plaats
municipality gemeinde municipio comune gemeente
province provincia provincias provincie
region comunidad bundesland
country pais paises paese paesi staat
postal_code plz postleitzahl cp
telephone telefon telefono telefone telefoon
email correo courriel
date datum fecha fechas
day tag dia dias jour jours giorno giorni dag
month monat monate mes meses mois mese mesi maand
year jahr jahre ano anos anio anios annee annees anno anni jaar
week woche semana semaine settimana
hour stunde hora heure ora uur
start beginn inicio debut inizio
end fin ende fine einde
birth geburt nacimiento naissance nascita nascimento geboorte
death tod muerte morte mort
age alter edad eta idade leeftijd
sex geschlecht sexo sesso sexe genero
weight gewicht peso poids
height hohe hoehe altura hauteur altezza hoogte
length lange laenge longitud longueur lunghezza lengte
width breite ancho largeur larghezza
size grosse groesse tamano taille dimensione maat
elevation altitud
area flache flaeche superficie
population einwohner bevolkerung poblacion habitantes popolazione abitanti populacao inwoners
salary gehalt lohn salario sueldo salaire stipendio salaris
job puesto beruf cargo
hire contratacion einstellung embauche assunzione
status zustand estatus statut stato
state estado etat
kind sorte tipo typ soort
category kategorie categoria categorie
group gruppe gruppen grupo gruppo groep
class klasse clase classe
code codigo codice
number nummer numero
key schlussel schluessel clave cle chiave
value wert valor valeur valore waarde
share anteil
color farbe couleur colore kleur
brand marke marca marque merk
model modell modelo modele modello
vehicle fahrzeug vehiculo vehicule veicolo veiculo voertuig
car wagen coche voiture automovil
flight flug vuelo volo voo
airport flughafen aeropuerto aeroport aeroporto
train zug tren treno
station bahnhof estacion stazione estacao
distance entfernung distancia distanza
speed geschwindigkeit velocidad vitesse velocita
weather wetter clima meteo
temperature temperatur temperatura
rain regen lluvia pluie pioggia chuva niederschlag
wind viento
book buch bucher libro libros livre livres livro livros boek
author autor autores auteur autore
publisher verlag editorial editeur editore
page seite pagina paginas
language sprache idioma langue lingua
school schule escuela ecole scuola escola
student schuler schueler studenten alumno alumnos eleve eleves etudiant studente aluno
teacher lehrer profesor maestro enseignant insegnante
course kurs curso cours corso
grade zensur calificacion voto
patient paciente pacientes paziente
doctor arzt medico medecin
disease krankheit enfermedad maladie malattia
hospital krankenhaus ospedale
team mannschaft equipo equipe squadra
player spieler jugador jugadores joueur joueurs giocatore jogador speler
season saison temporada stagione
goals tore goles gols
match spiel spiele partido partidos partita
account konto cuenta compte conto rekening
balance saldo
contract vertrag contrato contrat contratto
delivery lieferung entrega livraison consegna levering
discount rabatt descuento remise sconto
tax steuer mwst impuesto impot imposta
project projekt proyecto projet progetto
task aufgabe tarea tache
location standort ubicacion lieu luogo
building gebaude edificio batiment
room zimmer raum habitacion chambre stanza
owner eigentumer besitzer propietario proprietaire
user benutzer usuario utilisateur utente
child kind_ nino enfant bambino
total gesamt ges summe totale totaal
maximum hochst
minimum mindest
average durchschnitt promedio media_ moyenne
percent prozent porcentaje pourcentage
year_of_birth geburtsjahr
registration matricula kennzeichen anmeldung
branch sucursal succursale
position posicion
item positionen posten renglon
remark bemerkung observaciones
district ortsteil stadtteil stadtbezirk bezirk wijk quartier barrio bairro quartiere arrondissement
population einwohnerzahl habitants inwonertal
female weiblich weibl femminile
male mannlich mannl maschile
household haushalt haushalte hogar menage huishouden
waste abfall mull afval dechets residuos rifiuti
loan ausleihe ausleihen prets prestiti emprestimos
library bibliothek bibliotheque biblioteca bibliotheek
visitor besucher visitantes visiteurs visitatori bezoekers
branch agence zweigstelle agencia
dog hund hunde perro chien
"""
_PARTS = """
order bestell auftrags
stock lager
unit einzel stuck
kind art
item position
goods waren ware
family familien
purchase einkauf einkaufs
sales vertriebs verkaufs
home heim
guest gast
rated nenn
birth geburts
total gesamt
main haupt
part teil
special sonder
basic grund
net netto
gross brutto
month monats
year jahres
day tages
number zahl nr
place platz ort
time zeit
location stand
staff personal
name name
status status
code code
high hoch
low nieder
"""
"""Words that are translated only inside a compound."""
_BOTH = """
auto bank bus code computer email film firma foto hotel index information internet konto kontroll land
material motor museum national nation norm online park partner passagier pension person position post
produkt programm projekt rotor restaurant service sport start system tank test ticket trainer transport
turbine typ unfall wind zone element budget format kilometer liter meter tonnen kilo standard
"""
_SHARED = frozenset(_BOTH.split())
"""Words that German has, too, and that begin its compounds."""
_LINKS = ("", "s", "n", "en", "e", "er", "es")


def _read(text: str) -> dict[str, str]:
    out: dict[str, str] = {}
    for line in text.strip().splitlines():
        english, *words = line.split()
        out.update(dict.fromkeys(words, english.replace("_", " ")))
    return out


_ENGLISH = {**_read(EASTERN), **_read(EVERYDAY), **_read(FURTHER), **_read(_WORDS)}
_INSIDE = {**_read(FURTHER), **_read(_WORDS), **_read(_PARTS)}


_ENDINGS = ("en", "er", "n")
_STEM = 6
"""Letters that are left of a word at least where an ending is taken off."""
_UMLAUTS = (("ae", "a"), ("oe", "o"), ("ue", "u"))


@lru_cache(maxsize=100_000)
def english(word: str) -> str:
    """The English of a lower-case word without diacritics; the word itself where none is known."""
    if english_word(word):
        return word
    if (known := _known(word, _ENGLISH)) is not None:
        return known
    # Shorter words are compounds by chance: `tagart` is hardly anybody's.
    if len(word) < 8 or not word.isalpha():
        return word
    return _compound(word) or word


def _known(word: str, told: dict[str, str]) -> str | None:
    """What `told` has of a word, perhaps with umlauts in two letters (`gehaelter`) or of a plural."""
    if (found := told.get(word)) is not None:
        return found
    short = word
    for two, one in _UMLAUTS:
        short = short.replace(two, one)
    if short != word and (found := told.get(short)) is not None:
        return found
    bases = (short[: -len(end)] for end in _ENDINGS if short.endswith(end))
    return next((told[base] for base in bases if len(base) >= _STEM and base in told), None)


def _compound(word: str) -> str:
    """`geburtsdatum` → `birth date`: two known words, with what German puts between them; the first may be
    one that both languages have (`rotordurchmesser`).
    """
    for cut in range(3, len(word) - 2):
        second = _known(word[cut:], _INSIDE)
        if second is None:
            continue
        for link in _LINKS:
            first = word[:cut].removesuffix(link) if link else word[:cut]
            if (told := _known(first, _INSIDE) or (first if first in _SHARED else None)) is not None:
                return f"{told} {second}"
    return ""

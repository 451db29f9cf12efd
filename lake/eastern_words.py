"""Everyday words of Czech, Slovak, Polish, Finnish, Hungarian, Romanian and Turkish for what shops, offices,
works, schools and clinics keep tables of, each line behind the English for them.

Owns general vocabulary as data; must not know any lake.
Owns English words of another meaning (`den`, `ad`, `nap`)
are left out. All without diacritics and in lower case.
"""

from __future__ import annotations

EASTERN = """
customer zakaznik zakaznici zakaznika asiakas asiakkaat vevo vevok ugyfel ugyfelek musteri musteriler
order objednavka objednavky tilaus tilaukset rendeles rendelesek comanda comenzi siparis siparisler
product vyrobek vyrobky produkty vyrobok tuote tuotteet termek termekek produs produse urun urunler
goods zbozi tovar tavara tavarat
part dil dily diel diely alkatresz alkatreszek
employee zamestnanec zamestnanci tyontekija tyontekijat henkilo
employee dolgozo dolgozok alkalmazott alkalmazottak angajat
employee angajati calisan calisanlar
mechanic mechanik mechanici asentaja
driver ridic ridici vodic vodici kuljettaja sofer soferi surucu suruculer
manager vedouci veduci reditel riaditel johtaja vezeto mudur
department oddeleni oddelenie osasto osastot osztaly departamente bolum bolumler
branch pobocka pobocky pobocek toimipiste fiok sucursala filiala sube subeler
company spolecnost spolocnost yritys yritykset vallalat ceg companie sirket sirketler
shop obchod obchody prodejna prodejny kauppa myymala bolt uzlet magazin dukkan
supplier dodavatel dodavatele dodavatelia toimittaja toimittajat
supplier beszallito szallito furnizor furnizori tedarikci
manufacturer vyrobce vyrobca valmistaja gyarto producator uretici
name nazev nazov jmeno meno nimi nev nume denumire isim
surname prijmeni priezvisko sukunimi vezeteknev soyad soyadi
forename krestni etunimi keresztnev prenume
address adresa osoite lakcim
city mesto kaupunki varos oras orase sehir sehirler
municipality obec kunta kozseg ilce
region kraj maakunta megye judet bolge
country zeme krajina orszag ulke ulkeler
street ulice katu utca sokak
postal_code psc postinumero iranyitoszam
telephone puhelin
date paivamaara paivays tarih
day paiva zile
month mesic mesiac kuukausi honap luna
year rok roky vuosi yil
week tyden tyzden viikko hafta saptamana
hour hodina hodiny tunti tunnit orak saat
time cas aika timp zaman
start zacatek zaciatok nastup alku kezdet inceput baslangic
end konec loppu vege sfarsit bitis
birth narozeni narodenia syntyma syntymaaika szuletes szuletesi nastere dogum
opened otevreno otvorene avattu
founded zalozeno zalozene perustettu alapitva
price cena hinta hinnat preturi fiyat fiyati
amount castka ciastka summa osszeg tutar
cost naklad naklady kustannus kustannukset koltseg cheltuiala cheltuieli maliyet
revenue trzba trzby liikevaihto bevetel incasari gelir
sale prodej prodeje predaj myynti eladas vanzare vanzari satis satislar
payment platba platby maksu maksut plata plati odeme odemeler
invoice faktury lasku laskut szamla szamlak
discount sleva zlava alennus kedvezmeny reducere indirim
tax dane vero adok impozit vergi
salary mzda mzdy palkka palkat salariu maas
quantity mnozstvi mnozstvo maara mennyiseg cantitate miktar
pieces kus kusy kusu kappale kappaleet darab bucati adet
count pocet lukumaara szama numar sayi
total celkem celkom soucet yhteensa osszesen toplam
stock skladem zasoba zasoby varastossa keszlet stoc stok
warehouse sklad sklady varasto raktar depo
weight hmotnost paino suly greutate agirlik
length delka dlzka pituus hossz lungime uzunluk
width sirka leveys szelesseg latime genislik
height vyska korkeus magassag inaltime yukseklik
area plocha terulet suprafata
volume objem tilavuus terfogat
distance vzdalenost vzdialenost etaisyys tavolsag distanta mesafe
speed rychlost nopeus sebesseg viteza hiz
colour barva farba szin culoare renk
size velikost velkost
kind druh druhy tyyppi tipus cesit
category kategoria kategoriat kategori
description popis kuvaus leiras descriere aciklama
comment poznamka poznamky huomautus megjegyzes
status stav stavy allapot durum
code kod kody koodi
number cislo szam
language jazyk jazyky kieli nyelv limba
reason duvod dovod syy indok sebep
repair oprava opravy korjaus korjaukset javitas reparatii tamir
work prace praca tyo munka
consumption spotreba kulutus fogyasztas consum tuketim
fuel palivo polttoaine uzemanyag combustibil yakit
fuelling tankovani tankovanie tankkaus tankkaukset tankolas
vehicle vozidlo vozidla ajoneuvo ajoneuvot jarmu arac araclar
car auta autot masina masini
brand znacka znacky merkki marka
machine stroj stroje koneet gepek makine
room mistnost miestnost huone huoneet szoba oda
building budova budovy rakennus rakennukset epulet cladire cladiri bina
school skoly koulu koulut iskola scoala scoli okul okullar
student ziak ziaci oppilas oppilaat opiskelija opiskelijat tanulo tanulok ogrenci ogrenciler
teacher ucitel ucitele ucitelia opettaja opettajat tanar profesori ogretmen ogretmenler
course kurz kurzy kurssi kurssit tanfolyam
grade znamka znamky arvosana osztalyzat
class trida tridy trieda luokka luokat sinif
patient pacient pacienti potilas potilaat betegek hastalar
doctor lekar lekari laakari laakarit orvos orvosok
disease nemoc nemoci sairaus betegseg boala boli hastalik
book kniha knihy kirja kirjat konyv konyvek carti kitap kitaplar
author spisovatel kirjailija szerzo szerzok yazar
member clen clenove clenovia jasen jasenet tagok membru membri uye uyeler
visit navsteva navstevy kaynti kaynnit latogatas
delivery dodavka dodavky toimitus toimitukset szallitas livrare livrari teslimat
complaint stiznost stiznosti reklamace reklamaatio panasz plangere sikayet
contract smlouva smlouvy zmluva zmluvy sopimus sopimukset szerzodes sozlesme
surname nazwisko nazwiska
department dzial dzialy
branch oddzial oddzialy
manager kierownik kierownicy
venue lokal lokale
province wojewodztwo wojewodztwa
county powiat powiaty
municipality gmina gminy
day dni dzien
hour godzina godziny godz
time czas
age wiek
sex plec
year lata roku
week tydzien tygodnie
birth urodzenia urodzony urodzona
value wartosc wartosci
cost koszt koszty kosztow
receipt rachunek rachunki paragon paragony
payment platnosc platnosci wplata wplaty
discount rabat rabaty znizka
deadline termin terminy
quantity liczba
piece sztuka sztuki sztuk
weight ciezar
bottle butelka butelki butelek
crate skrzynka skrzynki
barrel beczka beczki
mileage przebieg
fuel paliwo
stop przystanek przystanki
route trasa trasy
warehouse magazyn magazyny
student uczen uczniowie
teacher nauczyciel nauczyciele
grade ocena oceny
subject przedmiot przedmioty
lesson lekcja lekcje zajecia
exam egzamin egzaminy
drug lek leki lekow
treatment zabieg zabiegi leczenie
visit wizyta wizyty
diagnosis rozpoznanie rozpoznania
overnight nocleg noclegi
publisher wydawca wydawnictwo
page stron strony
measurement pomiar pomiary
sensor czujnik czujniki
wind wiatr
precipitation opady opad
task zadanie zadania
contract umowa umowy
fault usterka usterki awaria awarie
remark uwagi
beer piwo piwa piw
milk mleko
bread chleb pieczywo
meat mieso
fruit owoce owoc
vegetable warzywa warzywo
water woda wody
tree drzewo drzewa
"""

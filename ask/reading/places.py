"""Names of the codes by which columns hold countries and the states of the USA: `CA` of `California`; what
people call those who come from a country: `Danish`, `Danes`.

Owns the lists and when a column holds such codes or names. Must not know a question.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rewright.ask.context import ColumnContext

_STATES = """
AL Alabama|AK Alaska|AZ Arizona|AR Arkansas|CA California|CO Colorado|CT Connecticut|DE Delaware|FL Florida
GA Georgia|HI Hawaii|ID Idaho|IL Illinois|IN Indiana|IA Iowa|KS Kansas|KY Kentucky|LA Louisiana|ME Maine
MD Maryland|MA Massachusetts|MI Michigan|MN Minnesota|MS Mississippi|MO Missouri|MT Montana|NE Nebraska
NV Nevada|NH New Hampshire|NJ New Jersey|NM New Mexico|NY New York|NC North Carolina|ND North Dakota|OH Ohio
OK Oklahoma|OR Oregon|PA Pennsylvania|RI Rhode Island|SC South Carolina|SD South Dakota|TN Tennessee|TX Texas
UT Utah|VT Vermont|VA Virginia|WA Washington|WV West Virginia|WI Wisconsin|WY Wyoming
"""
_COUNTRIES = """
AR ARG Argentina|AU AUS Australia|AT AUT Austria|BE BEL Belgium|BR BRA Brazil|BG BGR Bulgaria|CA CAN Canada
CL CHL Chile|CN CHN China|CO COL Colombia|HR HRV Croatia|CZ CZE Czechia|DK DNK Denmark|EG EGY Egypt
EE EST Estonia|FI FIN Finland|FR FRA France|DE DEU Germany|GR GRC Greece|HU HUN Hungary|IS ISL Iceland
IN IND India|ID IDN Indonesia|IE IRL Ireland|IL ISR Israel|IT ITA Italy|JP JPN Japan|KE KEN Kenya
LV LVA Latvia|LT LTU Lithuania|LU LUX Luxembourg|MY MYS Malaysia|MX MEX Mexico|MA MAR Morocco
NL NLD Netherlands|NZ NZL New Zealand|NG NGA Nigeria|NO NOR Norway|PK PAK Pakistan|PE PER Peru
PH PHL Philippines|PL POL Poland|PT PRT Portugal|RO ROU Romania|RU RUS Russia|SA SAU Saudi Arabia
RS SRB Serbia|SG SGP Singapore
SK SVK Slovakia|SI SVN Slovenia|ZA ZAF South Africa|KR KOR South Korea|ES ESP Spain|SE SWE Sweden
CH CHE Switzerland|TW TWN Taiwan|TH THA Thailand|TR TUR Turkey|UA UKR Ukraine
AE ARE United Arab Emirates|GB GBR United Kingdom
US USA United States|VN VNM Vietnam|BS BHS Bahamas|BD BGD Bangladesh|CU CUB Cuba|CY CYP Cyprus|EC ECU Ecuador
ET ETH Ethiopia|GH GHA Ghana|IR IRN Iran|JM JAM Jamaica|LK LKA Sri Lanka|LR LBR Liberia
MH MHL Marshall Islands|MT MLT Malta|NP NPL Nepal|PA PAN Panama|TN TUN Tunisia|TZ TZA Tanzania|UG UGA Uganda
UY URY Uruguay|VE VEN Venezuela
"""
_PEOPLE = """
Argentina: Argentinian Argentine|Australia: Australian|Austria: Austrian|Belgium: Belgian|Brazil: Brazilian
Bulgaria: Bulgarian|Canada: Canadian|Chile: Chilean|China: Chinese|Colombia: Colombian|Croatia: Croatian Croat
Czechia: Czech|Czech Republic: Czech|Denmark: Danish Dane|Egypt: Egyptian|England: English|Estonia: Estonian
Finland: Finnish Finn|France: French|Germany: German|Greece: Greek|Hungary: Hungarian|Iceland: Icelandic
India: Indian|Indonesia: Indonesian|Iran: Iranian|Ireland: Irish|Israel: Israeli|Italy: Italian
Jamaica: Jamaican|Japan: Japanese|Kenya: Kenyan|Latvia: Latvian|Lithuania: Lithuanian|Malaysia: Malaysian
Mexico: Mexican|Morocco: Moroccan|Netherlands: Dutch|New Zealand: Kiwi|Nigeria: Nigerian|Norway: Norwegian
Pakistan: Pakistani|Peru: Peruvian|Philippines: Filipino|Poland: Polish Pole|Portugal: Portuguese
Romania: Romanian|Russia: Russian|Scotland: Scottish Scot|Serbia: Serbian Serb|Slovakia: Slovak
Slovenia: Slovenian|South Africa: South-African|South Korea: Korean|Spain: Spanish Spaniard
Sweden: Swedish Swede|Switzerland: Swiss|Taiwan: Taiwanese|Thailand: Thai|The Netherlands: Dutch
Tunisia: Tunisian|Turkey: Turkish Turk|Ukraine: Ukrainian|United Kingdom: British Briton|UK: British Briton
Bangladesh: Bangladeshi|Cuba: Cuban|Cyprus: Cypriot|Ethiopia: Ethiopian|Ghana: Ghanaian|Liberia: Liberian
Malta: Maltese|Nepal: Nepalese|Panama: Panamanian|Tanzania: Tanzanian|Uganda: Ugandan|Uruguay: Uruguayan
Venezuela: Venezuelan
United States: American|USA: American|United States of America: American|Vietnam: Vietnamese|Wales: Welsh
"""
# no plural in s: `the Danish`, `the Chinese`
_NO_PLURAL = ("sh", "ch", "ese", "ss")
_KINDS = {
    "flag": "countries",
    "state": "states",
    "country": "countries",
    "nation": "countries",
    "nationality": "countries",
}
"""What of a row is a place; a flag's state is a country."""
# a value longer than a code is a name, and then the column holds no codes at all
_LONGEST = 3


def _listed(text: str) -> Iterator[list[str]]:
    for entry in text.strip().replace("\n", "|").split("|"):
        yield entry.split()


_NAMES = {
    "states": {code.lower(): " ".join(name) for code, *name in _listed(_STATES)},
    "countries": {
        code.lower(): " ".join(name) for two, three, *name in _listed(_COUNTRIES) for code in (two, three)
    },
}


def _people() -> Iterator[tuple[str, tuple[str, ...]]]:
    for entry in _PEOPLE.strip().replace("\n", "|").split("|"):
        country, _, said = entry.lower().partition(": ")
        words = [word.replace("-", " ") for word in said.split()]
        several = [word + "s" for word in words if not word.endswith(_NO_PLURAL)]
        yield country, (*words, *several)


_OF_PEOPLE = dict(_people())


def people_of(country: str) -> tuple[str, ...]:
    """What those who come from a country, and things from there, are called, in lower case.

    >>> people_of("Denmark")
    ('danish', 'dane', 'danes')
    """
    return _OF_PEOPLE.get(country.lower(), ())


def places(column: ColumnContext, words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Each value that is the code of a state or a country, with its name; nothing where a column holds
    anything else beside codes.
    """
    kind = next((kind for word, kind in _KINDS.items() if word in words), "")
    if not kind or not column.values or any(len(v) > _LONGEST for v in column.values):
        return
    # what is no code of the list has no other name; its column may still hold the others
    for value in column.values:
        if (name := _NAMES[kind].get(value.lower())) is not None:
            yield value, name.lower()

"""A text's encoding is told by the letters of its languages; what could be several stays Western Europe's."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from rewright.lake.api import open_lake
from rewright.lake.files.encodings import MARKED, WESTERN, guessed, is_mostly_utf8

TEXTS = {
    "Übergröße, Mörtel; Fußböden | Bäder für Gäste, Zubehör": ("cp1252", "latin-1", "cp850", "mac-roman"),
    "élève reçu à l’école, forêt où naît le cœur – 12 €": ("cp1252", "mac-roman"),
    "façade élevée; pièce où le cœur bat: 40 €": ("iso8859-15",),
    "Cáceres, Cádiz, Logroño, señal, acción, pingüe": ("cp1252", "latin-1", "cp850"),
    "Viseu, Évora, Leça, Simões, João, pão, três, água": ("cp1252", "latin-1"),
    "Bodø, Tromsø, Ålesund, Færder, Sør-Varanger": ("cp1252", "latin-1"),
    "Renée, Jürgen, Kierkegård, Hélène, Søren, Muñoz, Conceição": ("cp1252", "latin-1"),
    "250 m² à 3 €/m², ±5 °C, §7, „ja“, l’eau": ("cp1252",),
    "Białystok, Kędzierzyn-Koźle, Żory, Śrem, Chełm, Ełk, Łęczna": ("cp1250", "iso8859-2", "cp852"),
    "Třeboň, Písek, Sušice, Mělník, Jičín, Náchod, Hlučín, dům, kůň": ("cp1250", "iso8859-2", "cp852"),
    "Szűcs, Erdő, Kőszeg, Érd, Vác, Makó, Siófok, gyűjtő, öt": ("cp1250", "iso8859-2"),
    "Vukovar, Đurđevac, Čazma, Šolta, Žminj, Ćuk": ("cp1250", "iso8859-2"),
    "Kütahya, Eskişehir, Ağrı, Niğde, Çanakkale, İzmir": ("cp1254",),
    "Klaipėda, Šakiai, Ukmergė, Telšiai, Plungė, Jurbarkų, žirgas, ūkį": ("cp1257",),
    "Омск, Тула, Воронеж; остаток на складе, скидка, поставщик": (
        "cp1251",
        "koi8-u",
        "cp866",
        "iso8859-5",
    ),
    "Λάρισα, Χανιά, Καβάλα; πελάτης, έκπτωση": ("cp1253", "iso8859-7"),
    "באר שבע, אילת, נתניה, לקוח, הנחה": ("cp1255",),
    "札幌, 名古屋, 得意先コード, 売上金額, りんご, 新潟": ("shift_jis", "euc_jp"),
    "成都, 武汉, 南京, 客户姓名, 销售额, 苏州, 郑州": ("gbk",),
    "臺南, 新竹, 客戶, 銷售金額, 花蓮": ("big5",),
    "인천, 광주, 대전, 고객명, 판매금액": ("euc_kr",),
}


@pytest.mark.parametrize(("text", "page"), [(text, page) for text, pages in TEXTS.items() for page in pages])
def test_a_text_is_read_as_it_was_written(text: str, page: str) -> None:
    data = text.encode(page, errors="ignore")
    found = guessed(Counter(MARKED.findall(data)))
    assert found is not None
    assert data.decode(found.name, WESTERN) == data.decode(page)


@pytest.mark.parametrize("text", ["Søren, Renée, José", "Hélène, Jørgen, Genève", "Zoë"])
def test_two_western_languages_are_no_czech(text: str) -> None:
    found = guessed(Counter(MARKED.findall(text.encode("latin-1"))))
    assert found is not None
    assert found.name == "latin-1"


def test_noise_is_no_text() -> None:
    assert guessed(Counter(MARKED.findall(bytes(range(0x80, 0x100)) * 3))) is None


def test_one_bad_byte_leaves_the_others_as_they_are() -> None:
    words = MARKED.findall("Zoë René Noël ".encode() + b"Jos\xe9")
    assert is_mostly_utf8(words)
    assert not is_mostly_utf8(MARKED.findall("Zoë René Noël".encode("latin-1")))
    assert (b"Jos\xe9, " + "Noël".encode()).decode("utf-8", WESTERN) == "José, Noël"


@pytest.mark.parametrize(("page", "told"), [("cp1250", "Windows-1250"), ("utf-32", "UTF-32")])
def test_a_lake_finds_a_city_by_its_name(tmp_path: Path, page: str, told: str) -> None:
    (tmp_path / "lake").mkdir()
    rows = "".join(
        f"{name};{i}\n" for i, name in enumerate(("Łódź", "Gdańsk", "Świdnica", "Dęblin", "Żywiec"))
    )
    (tmp_path / "lake" / "sklepy.csv").write_bytes(("miasto;sztuki\n" + rows).encode(page))
    with open_lake(tmp_path / "lake", catalog=tmp_path / "c.db", embedder=None) as lake:
        answer = lake.query("SELECT sztuki FROM sklepy WHERE miasto = 'Dęblin'", "bind")
        (table,) = lake.tables()
    assert answer.rows is not None
    assert answer.rows.rows == [(3,)]
    assert any(told in note for note in table.notes)

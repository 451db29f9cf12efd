"""Comparatives and superlatives that name no column, and words that people use for one another.

Owns both lists. Must not know a schema.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from rewright.ask.reading.words import listed, stem


@dataclass(frozen=True, slots=True)
class Adjective:
    """``steps``: which way along a column of which word; the first that the table has is meant."""

    sort: Literal["superlative", "comparative"]
    steps: tuple[tuple[str, str], ...]


_ADJECTIVES = """
older oldest: +age -birth -founded -established -formed -opened -built -year -date
younger youngest: -age +birth +formed
newer newest: +founded +established +formed +opened +built +year +date
later latest: +date +year +time
more_recent most_recent: +date +year +time
earlier earliest: -date -year -time
longer longest: +length +duration +distance +runtime +time +minute +second +page +word +hour +day
shorter shortest: -length -duration -height -distance -runtime -time -minute -second -page -word -hour -day
taller tallest: +height +floor
heavier heaviest: +weight +mass
lighter lightest: -weight -mass
cheaper cheapest: -price -cost -fee -fare -rate -amount
more_expensive most_expensive: +price +cost +fee +fare +rate +amount
less_expensive least_expensive: -price -cost -fee -fare -rate -amount
pricier priciest: +price +cost
larger largest: +size +area +hectare +acre +capacity +population +amount +total +seat +place +guest
bigger biggest: +size +area +hectare +acre +capacity +population +amount +total +seat +place +guest
smaller smallest: -size -area -hectare -acre -capacity -population -amount -total -seat -place -guest
faster fastest: +speed -time -duration
slower slowest: -speed +time +duration
deeper deepest: +depth
wider widest: +width
higher highest: +altitude +elevation +height +amount +total
lower lowest: -altitude -elevation -height -amount -total
better best: +rating +score +grade +points
worse worst: -rating -score -grade -points
better_rated highest_rated: +rating +score
better_rated best_rated: +rating +score
better_rated top_rated: +rating +score
worse_rated lowest_rated: -rating -score
more_populous most_populous: +population
better_paid best_paid: +salary +wage +pay +rate
higher_paid highest_paid: +salary +wage +pay +rate
worse_paid worst_paid: -salary -wage -pay -rate
lower_paid lowest_paid: -salary -wage -pay -rate
greater greatest: +size +area
colder coldest: -temperature
cooler coolest: -temperature
warmer warmest: +temperature
hotter hottest: +temperature
windier windiest: +wind
wetter wettest: +rain +rainfall +precipitation +humidity
drier driest: -rain -rainfall -precipitation -humidity
steeper steepest: +slope +gradient +incline
thicker thickest: +thickness
thinner thinnest: -thickness
narrower narrowest: -width
denser densest: +density
stronger strongest: +strength +power
weaker weakest: -strength -power
brighter brightest: +brightness +luminosity
richer richest: +wealth +income
poorer poorest: -wealth -income
nearer nearest: -distance
farther farthest: +distance
more_profitable most_profitable: +profit +margin
less_profitable least_profitable: -profit -margin
more_experienced most_experienced: +experience
more_powerful most_powerful: +power
more_valuable most_valuable: +value +worth +price
less_valuable least_valuable: -value -worth -price
"""


def _adjectives() -> Iterator[tuple[str, Adjective]]:
    for line in _ADJECTIVES.strip().splitlines():
        head, _, rest = line.partition(": ")
        comparative, superlative = (part.replace("_", " ") for part in head.split())
        steps = tuple(("desc" if step[0] == "+" else "asc", step[1:]) for step in rest.split())
        yield comparative, Adjective("comparative", steps)
        yield superlative, Adjective("superlative", steps)


ADJECTIVES: dict[str, Adjective] = dict(_adjectives())
"""Comparatives and superlatives that name no column: `oldest` is the greatest age, or the first date of
birth.
"""

_SAME = """
gender sex
client customer buyer shopper user
user member customer
professor instructor teacher lecturer tutor
pupil student
purchase order sale
film movie
wage salary pay earnings
revenue sale turnover income
physician doctor
staff employee worker
town city
nation country
vehicle car auto automobile
firm company business
cost price fee charge
telephone phone
postcode zip
shop store
flat apartment
booking reservation
nationality country
surname lastname
occupation job profession
rating score
headcount employee
sum amount
people population inhabitant resident
spending amount expense
length duration second
earn earning earned salary wage pay
cost costing price fee
weigh weighing weight
last lasted lasting duration runtime
consumption usage kwh
tonnage tonne weight
personnel staff employee
colleague employee staff
supervisor manager boss
owner proprietor
supplier vendor provider
seller vendor
merchant retailer
tenant renter lodger occupant
landlord owner
patron visitor guest customer
attendee participant
passenger traveller traveler rider
author writer
musician player performer
trainer coach
nurse carer
volunteer helper
article story
magazine journal periodical
lorry truck
aircraft plane airplane
ship vessel boat
lesson class
exam test examination
grade mark
fault defect
repair fix
breakdown failure outage
incident accident
complaint grievance
disease illness sickness
medicine drug medication
treatment therapy
surgery operation
picture image photo
painting picture canvas
sculpture statue
exhibit exhibition show
gig concert performance
song track tune
trip journey
route line itinerary
halt stop
timetable schedule
depot garage
warehouse depot
parcel package
delivery shipment consignment
goods item product
ware product item
merchandise product
bill invoice
deposit downpayment
debt liability
tax levy
discount rebate
earnings income revenue
takings revenue income sale
expense cost expenditure
expenditure spending cost
headline title
remark comment note
description summary
province state region
district zone
county district region
borough district
street road
birthday birthdate dob
contract agreement
licence license permit
law act statute
lawsuit case
subject topic
theme topic
genre style category
sort type kind category
variety kind type
department division
branch office
team squad
contest competition
match game
prize award
winner champion
crop harvest yield
field plot
livestock animal
dish meal
recipe dish
ingredient component
"""


def begins_superlative(phrase: str) -> bool:
    """`highest elevation`, the name of a column."""
    adjective = ADJECTIVES.get(phrase.split(maxsplit=1)[0])
    return adjective is not None and adjective.sort == "superlative"


def _same() -> Iterator[tuple[str, tuple[str, ...]]]:
    groups = [line.split() for line in _SAME.strip().splitlines()]
    for word in sorted({word for group in groups for word in group}):
        others = tuple(other for group in groups if word in group for other in group if other != word)
        yield word, others
        yield stem(word), others  # looked up by the stems of plurals: `packages` and `package` are `packag`


_PERSONS = listed(
    "staff employee worker member customer client user guest visitor patient student pupil passenger rider "
    "donor owner tenant player musician artist author driver volunteer participant subscriber resident"
)
SAME: dict[str, tuple[str, ...]] = {**dict(_same()), "person": _PERSONS}
"""Words that people use for one another when they speak of data. A person may be any of several kinds of
people, none of which is another: where a database holds more than one kind, it is not clear who is meant.
"""

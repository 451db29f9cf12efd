"""Different English words that people name one thing by in tables: `maker` and `manufacturer`, `wage` and
`salary`.

Owns general vocabulary as data, and finding the words and phrases of two names that mean the same. Must not
know any lake. Words that have several meanings stand in several lines; a line of `_NEAR` holds words that
often, not always, say the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

SAME = 0.9
NEAR = 0.72
"""How alike two words of one line are."""

_SAME = """
taxi|cab
grant|award
application|request
salary|pay|wage|earning|compensation|remuneration|pay check|stipend
revenue|turnover|sale|sales volume|receipt|gross|takings|box office
profit|net income|margin|gain|net earning
cost|expense|expenditure|spending|outlay|spend|charge
price|cost|fare|rate|charge|fee
tuition|school fee|tuition cost
fine|penalty
debt|liability|owed|outstanding balance|outstanding debt
loan|credit|mortgage|borrowing|lending|borrowed
customer|client|buyer|shopper|purchaser|patron|consumer|account holder
supplier|vendor|provider|seller|merchant
maker|manufacturer|brand|make|producer|built by|made by|manufactured by|carmaker
company|firm|business|enterprise|corporation|employer|organization
employee|worker|staff|personnel|staff member|workforce
manager|boss|supervisor|reports to
job|occupation|profession|position|role|trade|vocation|job title
product|item|article|good|merchandise|sku
category|class|type|kind|group|sort|genre|style|variety|form|classification
status|state|condition|stage
level|grade|rank|tier|class
rank|position|place|standing|ranking
score|rating|mark|point|grade|evaluation
review|rating|evaluation|assessment|critique
country|nation|land|nationality|origin country|home country
country|located in|made in|made where
origin|made in|comes from|country of origin|source|provenance
state|province|us state
region|area|zone|territory|district|part|subregion|geographic area
neighborhood|neighbourhood|district|quarter|borough|ward|suburb
city|town|municipality|settlement|place
county|shire|parish
continent|world part|part of world
address|street|location
location|place|site|venue|position|spot|situated
capital|capital city|seat of government
population|inhabitant|resident|people|number of people|headcount|citizen|dweller
household|home|family
person|people|individual|human
house|home|dwelling|property|residence|flat|apartment
room|chamber
floor|storey|story|level
surface|area|floor area|living space|square meter|square metre|square feet|size
area|size|extent|land area|square kilometer|square mile
year|season|calendar year
season|campaign
start|begin|began|beginning|commencement|commenced|opening|from|started|opened|launch|launched|onset
end|finish|ended|finished|closing|until|to|completed|stop|close|left
start date|commencement|effective date|appointed|took office|inaugurated|joined|hired
hire date|hired|joined|start date|employed since|entry|entry date
founded|established|inception|founding|foundation|formed|created|started|opened
built|constructed|construction|built in|erected|completed
discovery|discovered|found|found in
birth|born|birth date|born on|date of birth
birth year|born in|year of birth
death|died|dead|deceased|fatality|killed
fatal|deadly|lethal|death|killed|dead
injured|hurt|wounded|injury|wound
accident|crash|collision|incident
incident|event|occurrence
murder|homicide|killing|manslaughter
crime|offense|offence|violation
arrest|detention|apprehension
assault|attack
robbery|theft|larceny|burglary
prison|jail|incarceration
sentence|prison term
police|law enforcement|cop
age|years old|how old
gender|sex
race|ethnicity|ethnic group|ethnic
religion|faith|denomination
language|tongue|spoken language|native tongue
education|schooling|educational attainment|study|degree
school|college|academy|institution
university|college|institution|campus|alma mater
student|pupil|learner|enrolled
teacher|instructor|professor|faculty|lecturer|educator
course|class|module
doctorate|phd|doctor
graduation|graduating|graduate
major|field of study|field|discipline|subject|program
subject|topic|theme
marital|married|marriage|wedding|marital status
divorce|separation|split
child|kid|offspring|son|daughter
birth weight|newborn weight
baby|infant|newborn
mother|mom|maternal
father|dad|paternal
spouse|husband|wife|partner
woman|female
man|male
height|tallness|stature|how tall
height|elevation|altitude|above sea level
elevation|altitude|height above sea
weight|mass|heaviness|how heavy
body weight|body mass
length|duration|running time|runtime|how long|run time
duration|time|term|minute|length
length|size|long
width|breadth|wide
depth|deep
distance|mile|range|kilometer|mileage|how far|mile flown
speed|velocity|pace|mph
speed limit|maximum speed
temperature|degree|temp|heat
rain|precipitation|rainfall
humidity|moisture
wind|breeze|wind speed
weather|condition|climate|sky
visibility|sight
dew|dew point|dewpoint
pressure|barometric pressure
pollution|emission|contamination
carbon dioxide|co2|carbon emission
energy|power|electricity
fuel|gas|petrol|gasoline|energy source
consumption|usage|use|intake
mileage|fuel economy|fuel efficiency|fuel consumption|miles per gallon|mpg
engine|motor|propulsion
horsepower|power|engine power
displacement|engine size|engine volume
transmission|gearbox|gear
vehicle|car|automobile|auto
drive|drivetrain|driven wheel
model|version|edition
aircraft|plane|airplane|aeroplane
airline|carrier|operator
airport|airfield|aerodrome|landing field
departure|from|origin|leaving|takeoff|depart
arrival|to|destination|landing|arrive
departure airport|origin|from airport|origin airport|origin name
arrival airport|destination|to airport|destination airport
delay|late|minute late|lateness
flight|trip|departure
tail number|registration|aircraft
stop|stopover|layover
seat|capacity|passenger seat
capacity|berth|seat|place|bed
passenger|traveller|traveler|rider
trip|ride|journey|travel
ticket|fare class
cabin|ticket class
crew|team
ship|vessel|boat
survived|survivor|survival|rescued|alive
route|path|line|connection
station|stop
team|club|side|squad|franchise
player|athlete|sportsman|participant
athlete|competitor|participant|contestant|runner|contender
coach|trainer
manager|coach
match|game|fixture
home team|home club|home side|host
away team|visitor|visiting club|visiting team|guest|away side
home score|home goal|home run scored|goals home|host score
away score|away goal|guest score|visitor score
goal|point|score
win|victory|won
loss|defeat|lost
winner|champion|victor|first place
runner up|second place|finalist
gold|gold medal|first place
silver|silver medal|second place
bronze|bronze medal|third place
medal|award|prize|trophy
award|prize|honor|honour
round|matchday|stage
league|division|conference
tournament|competition|championship|cup|meet|contest|event
race|contest
games played|game|match|appearance
home run|homer|hr
at bat|times at bat|ab
runs batted in|rbi
batting average|average
stolen base|steal
strikeout|so
walk|base on ball|bb
rebound|board
assist|pass
foul|penalty
jersey|shirt number|squad number
draft|draft pick|pick
experience|seniority|service|years of service|years of experience|tenure
potential|possible
strength|power|force
squat|lift
host|host city|venue
olympic|olympics|games
film|movie|motion picture|feature
title|name|called
film|title
director|filmmaker|directed by
actor|star|performer|cast
studio|production company|distributor
release|released|publication|issue|launch|premiere|came out
release date|released|premiere|air date|aired
aired|broadcast|air date|original air date|first aired|broadcast on
episode|installment|show
series|season|show
show|programme|program|series
network|channel|broadcaster
viewer|audience|watcher|spectator
attendance|audience|crowd|visitor|spectator
vote|ballot|number of vote
gross|box office|takings|earning
budget|production cost
certificate|age rating|mpaa|content rating
song|track|tune|music title
artist|performer|musician|singer|band|act
album|record|lp
tempo|beats per minute|bpm
popularity|popular|fame
loudness|volume
dance|danceability|danceable
lyrics|words
composer|songwriter|written by
author|writer|written by|penned by
publisher|publishing house|imprint|press
book|title|volume
pages|page count|number of page|length
isbn|book number
binding|cover|cover type|hardcover|format
chapter|section
paper|article|publication
citation|reference
newspaper|paper|outlet|publication
publication year|published|year published|pub year
comic|cartoon
game|title
platform|console|system
developer|studio|made by
restaurant|eatery|diner|eating place|cafe
menu|dish|meal|food
ingredient|component
sugar|sweetness|sweet
fat|lipid
protein|meat
fiber|fibre|roughage|dietary fiber
calorie|energy|kcal|energy content
salt|sodium
drink|beverage|alcohol
beer|brew|ale
spirit|liquor|hard liquor
wine|vintage
alcohol|abv|alcohol content|alcohol by volume
bitterness|ibu
sour|acidity|acid|ph
flavor|flavour|taste
aroma|smell|fragrance|scent|odor
sweet|sweetness
coffee|bean
farm|field|grower|growing
grower|farmer|owner
crop|harvest|yield|grain
yield|output|harvest|production
production|output|produced|generated|made
soil|ground|earth
fertilizer|manure
plant|flower|vegetation
tree|forest
species|kind|breed|animal type
breed|race
animal|creature|beast|mammal
bird|fowl
fish|seafood
beak|bill|culmen
wing|flipper
leg|limb
tail|rear
diet|food|eating type|feeding|vore|eats
sleep|asleep|sleeping
awake|waking|hours awake
brain|head
egg|clutch
nest|brood
sighting|observation|seen|observed
volcano|mountain
eruption|erupted|outbreak
explosivity|vei|explosive
magnitude|size|strength|intensity
earthquake|quake|tremor
river|stream
lake|water
island|isle
coordinate|latitude longitude
latitude|north south
longitude|east west
planet|exoplanet|world
star|sun
orbit|orbital period|revolution
moon|satellite
discovery method|how discovered|detection method|method
element|chemical
symbol|sign|chemical symbol|abbreviation
atomic mass|atomic weight
melting point|melts at|melting temperature
boiling point|boils at|boiling temperature
phase|standard state|state of matter
metal|metallic
price per unit|unit price
quantity|amount|count|number|units|how many|number of unit
quantity|units sold|units ordered|volume
quantity|copy|number of copy
order item|order line|sales order line|purchase order line|line item
order|sales order|purchase order
discount|reduction|rebate|price reduction|markdown|deduction
tax|duty|levy|vat
tip|gratuity
bill|invoice|check
payment|paid|amount paid|settlement
payment date|paid on|paid date|settled on
paid|settled
planned|plan|budgeted|target|forecast|estimate
actual|spent|real|realised|realized|effective
method|way|mode|means|process|manner
process|preparation|processing|treatment
shipping|delivery|shipment|ship|shipped|dispatch|dispatched
shipping mode|delivery method|shipping class
order|purchase|transaction|sale
order date|ordered on|purchase date|sold on|sale date
return|refund
warehouse|depot|storage
stock|inventory|on hand
stock|share|security|equity
share|portion|percentage|percent|proportion|fraction|pct|rate|ratio
rate|ratio|per capita|frequency
per capita|per head|per person
gdp|gross domestic product|economic output|output|national income
gdp per capita|income per head|income per person|gdp per person
gross state product|state output|gsp|output
inflation|price increase|price growth
unemployment|jobless|out of work|joblessness|unemployed
employment|job|employed|employee
labor|labour|work
poverty|poor|disadvantaged|low income
rich|wealthy|affluent
income|earning|household income
median income|typical income
wealth|fortune|net worth|asset
asset|holding|property
market value|market capitalisation|market capitalization|market cap|stock market value|valuation
opening price|open|price at open
closing price|close|price at close
ticker|stock symbol|symbol|company symbol
shares traded|volume|trade volume|trading volume
dividend|payout
interest|interest rate
saving|savings
bank|lender
insurance|insured|coverage
policy|plan
party|political party|affiliation|political affiliation
politician|legislator|lawmaker|member
senator|member of senate
representative|congressman|house member
president|head of state|leader
ruler|leader|head|head of state|chief
government|regime|rule|administration
election|vote|ballot|poll
candidate|contender|nominee
term|mandate|time in office
office|post
democracy|democratic
voter|elector|electorate
turnout|participation|voted
poll|survey|questionnaire
approval|support|favorability
pollster|polling firm
law|act|statute|bill
court|tribunal
judge|justice|heard by
decision|ruling|verdict|outcome
granted|approved|accepted|success
outcome|result|status
reason|cause|why|motive|purpose
purpose|reason|use
cause|circumstance|reason
patient|case|subject
case|infection|patient
disease|illness|condition|diagnosis|disorder
diagnosis|illness|tumour type
cancer|tumor|tumour|carcinoma
drug|medicine|medication|treatment
treatment|therapy|medication
dose|dosage
hospital|clinic|medical center
doctor|physician
nurse|caregiver
blood pressure|bp
heart rate|pulse
smoker|smoking|smokes
vaccine|vaccination|immunization
health|medical
recovered|cured
test|exam|examination
inspection|exam|examination|check|audit|checkup
symptom|sign
survival|survived|survival time
fertility|birth rate|birth|children per woman
life expectancy|lifespan|life span|expected life|longevity
mortality|death rate|death
birth rate|natality
immigrant|migrant
migrant|mover|people moved
moved|migrated|relocated
suicide|self harm
weapon|armed with|arms
victim|deceased|killed person
suspect|offender|perpetrator
day of week|weekday|air weekday
weekday|day
month|month name
quarter|period|qtr
hour|time of day
time zone|timezone|zone|tz
time|finish time|race time|seconds
period|era|age|time
century|age
week|week ending
holiday|vacation
casual|unregistered|occasional
registered|member|subscribed|registered user
member|subscriber|registered
user|account
website|site|web
click|visit|hit
email|mail
phone|telephone|number
internet|web|online
browser|client
operating system|platform
software|application|program
language|programming language
developer|programmer|coder
owner|holder|proprietor|owned by|possessor
holder|keeper
rent|rental|lease|hire
rental|hire|ride|ridership
bicycle|bike|cycle
building|structure|edifice
skyscraper|tower
bedroom|sleeping room
bathroom|bath
lot|plot|parcel|land
lot size|plot area|lot area
garage|parking
heating|heat
cooling|air conditioning|air conditioned|airco
basement|cellar
sale price|sold for|selling price
list price|asking price|retail price|recommended price|rrp|msrp
listing|listed|offer
color|colour|hue|shade
shape|form
size|dimension|measure
cut|quality
quality|condition
clarity|purity
carat|weight
diamond|gem|stone|jewel
material|substance|fabric
temperature|heat
reading|measurement|value
observation|record|measurement
total|sum|overall|combined|all|whole|aggregate
average|mean|avg|typical
maximum|highest|most|max|top|peak|greatest|largest
expiry|expiration|deadline|best before|use by|expires|valid until
minimum|lowest|least|min|smallest
median|middle|typical
difference|gap|change
change|growth|increase
high|highest|maximum|daily high
low|lowest|minimum|daily low
comment|remark|note
description|detail|explanation
source|origin
address|location
sector|industry|branch|line of business
industry|business
market|place|region
headquarters|home|head office|based in
branch|outlet|location|store|shop|office
store|shop|outlet|retailer
chain|brand
department|division|unit|section
project|initiative
segment|customer type|buyer type
territory|region
donor|giver|contributor
donation|contribution|gift
volunteer|helper
religious|devout
affair|infidelity
happiness|happy|how happy|wellbeing
trust|confidence
beauty|attractiveness|attractive|looks
intelligence|iq
ability|skill|talent
skill|talent|competence
overall|overall rating|total score
wing span|wingspan
tooth|teeth
scar|wound
sample|specimen
site|location|place
trial|experiment|test
experiment|study|trial
trait|feature|characteristic
gear|equipment
equipment|gear|tool|apparatus
committee|panel|board
chairman|chair|head
library|book collection
volume|book
admission|admitted|acceptance|accepted
application|applied|apply|applicant
applicant|candidate|borrower
enrollment|enrolled|enrolment
room and board|lodging|accommodation|lodging cost
out of state|outside
acceptance rate|admission rate
ad|advertising|advertisement|advert|promotion
competitor|rival
shelf|display
urban|city|in city
rural|country
density|people per area|people per square mile|crowding
road|highway|street
bridge|crossing
traffic|congestion
toll|fee
driver|motorist
alcohol impaired|drunk
speeding|too fast
premium|insurance cost
belief|opinion|view
question|item
answer|response|reply
respondent|participant|interviewee
"""

_NEAR = """
salary|income|earning|pay|wage|revenue
price|value|worth|cost
income|revenue|earning|profit
height|size|length
size|volume|capacity|magnitude
speed|power
rating|stars|points|rank
winner|gold
team|country
school|student
class|rank
person|name
city|location
region|state|province|county|country
region|continent|part of world
category|department|segment
outcome|status|result|decision
kind|name
what|kind|type
who|person|name
when|date|time
where|place|location
how many|number|count|quantity
model|type
species|name
date|year|time
edition|year
responsible|in charge|curator|coordinator|organizer|contact person
duration|age
cost|tax
owner|name|holder
label|name
population|size
popularity|rating|rank|vote
strength|intensity|energy|level
experience|age
area|region|field
movie|show|series
crime|arrest|violence
violent|violence
count|frequency
number|code
death|murder|fatal
casualty|killed|dead|death|fatality|victim
winner|result
stage|phase|step
vote|share|percentage
reason|motif
complaint|reclamation
rating|note
discount|remise
freight|port
training|formation
designer|created by|designed by
species|essence
rental|location
shelf|rayon
unit price|price
"""


class Synonyms:
    """Which words and phrases mean the same, in the form that names are compared in."""

    def __init__(self, *words: Callable[[str], Sequence[str]]) -> None:
        """`words`: the words of a name as they are compared; several where they may be compared in several
        forms.
        """
        self._others: dict[tuple[str, ...], dict[tuple[str, ...], float]] = {}
        self.longest = 1
        self.words: set[str] = set()
        for text, alike in ((_SAME, SAME), (_NEAR, NEAR)):
            for line in text.split("\n"):
                forms = (tuple(form(entry)) for entry in line.split("|") for form in words)
                self._add(list(dict.fromkeys(filter(None, forms))), alike)

    def _add(self, phrases: Sequence[tuple[str, ...]], alike: float) -> None:
        for phrase in phrases:
            self.longest = max(self.longest, len(phrase))
            self.words.update(phrase)
            known = self._others.setdefault(phrase, {})
            for other in phrases:
                if other != phrase:
                    known[other] = max(known.get(other, 0.0), alike)

    def of(self, phrase: tuple[str, ...]) -> dict[tuple[str, ...], float]:
        """Phrases that mean the same, and how alike they are."""
        return self._others.get(phrase, {})

"""Which of the words for DuckDB mean the same on Spark, by signature.

Owns the lists: what stands here was compared with a server on every combination of nasty values
(`tests/extras/check_spark_dialect.py`); what does not, is left to PostgreSQL. Not here, among others: case of
letters beyond ASCII, halves (rounded otherwise), ends of texts with emoji, arithmetic of decimals (another
scale), sums of bigint (another type), days of the week (counted otherwise), days added to dates (no years
before Christ), window functions (other frames).
"""

from __future__ import annotations

_CALLS = """
abs(bigint); abs(double precision); abs(integer); abs(numeric); abs(real); abs(smallint); bool(integer);
booleq(boolean, boolean); boolge(boolean, boolean); boolgt(boolean, boolean); boolle(boolean, boolean);
boollt(boolean, boolean); boolne(boolean, boolean); btrim(text); btrim(text, text); ceil(numeric);
ceiling(numeric); char_length(text); character_length(text); date(timestamp without time zone);
date_eq(date, date); date_eq_timestamp(date, timestamp without time zone); date_ge(date, date);
date_ge_timestamp(date, timestamp without time zone); date_gt(date, date); date_gt_timestamp(date,
timestamp without time zone); date_le(date, date); date_le_timestamp(date, timestamp without time zone);
date_lt(date, date); date_lt_timestamp(date, timestamp without time zone); date_ne(date, date);
date_ne_timestamp(date, timestamp without time zone); dlog1(double precision); dsqrt(double precision);
float4(bigint); float4(integer); float4(smallint); float48div(real, double precision); float48eq(real,
double precision); float48ge(real, double precision); float48gt(real, double precision); float48le(real,
double precision); float48lt(real, double precision); float48mi(real, double precision); float48mul(real,
double precision); float48ne(real, double precision); float48pl(real, double precision); float4abs(real);
float4eq(real, real); float4ge(real, real); float4gt(real, real); float4le(real, real); float4lt(real,
real); float4mi(real, real); float4mul(real, real); float4ne(real, real); float4pl(real, real);
float4um(real); float4up(real); float8(bigint); float8(integer); float8(numeric); float8(real);
float8(smallint); float84div(double precision, real); float84eq(double precision, real); float84ge(double
precision, real); float84gt(double precision, real); float84le(double precision, real); float84lt(double
precision, real); float84mi(double precision, real); float84mul(double precision, real); float84ne(double
precision, real); float84pl(double precision, real); float8abs(double precision); float8div(double
precision, double precision); float8eq(double precision, double precision); float8ge(double precision,
double precision); float8gt(double precision, double precision); float8le(double precision, double
precision); float8lt(double precision, double precision); float8mi(double precision, double precision);
float8mul(double precision, double precision); float8ne(double precision, double precision);
float8pl(double precision, double precision); float8um(double precision); float8up(double precision);
floor(numeric); int2(bigint); int2(integer); int24div(smallint, integer); int24eq(smallint, integer);
int24ge(smallint, integer); int24gt(smallint, integer); int24le(smallint, integer); int24lt(smallint,
integer); int24mi(smallint, integer); int24mul(smallint, integer); int24ne(smallint, integer);
int24pl(smallint, integer); int28div(smallint, bigint); int28eq(smallint, bigint); int28ge(smallint,
bigint); int28gt(smallint, bigint); int28le(smallint, bigint); int28lt(smallint, bigint);
int28mi(smallint, bigint); int28mul(smallint, bigint); int28ne(smallint, bigint); int28pl(smallint,
bigint); int2abs(smallint); int2and(smallint, smallint); int2div(smallint, smallint); int2eq(smallint,
smallint); int2ge(smallint, smallint); int2gt(smallint, smallint); int2le(smallint, smallint);
int2lt(smallint, smallint); int2mi(smallint, smallint); int2mod(smallint, smallint); int2mul(smallint,
smallint); int2ne(smallint, smallint); int2not(smallint); int2or(smallint, smallint); int2pl(smallint,
smallint); int2um(smallint); int2up(smallint); int2xor(smallint, smallint); int4(bigint); int4(boolean);
int4(smallint); int42div(integer, smallint); int42eq(integer, smallint); int42ge(integer, smallint);
int42gt(integer, smallint); int42le(integer, smallint); int42lt(integer, smallint); int42mi(integer,
smallint); int42mul(integer, smallint); int42ne(integer, smallint); int42pl(integer, smallint);
int48div(integer, bigint); int48eq(integer, bigint); int48ge(integer, bigint); int48gt(integer, bigint);
int48le(integer, bigint); int48lt(integer, bigint); int48mi(integer, bigint); int48mul(integer, bigint);
int48ne(integer, bigint); int48pl(integer, bigint); int4abs(integer); int4and(integer, integer);
int4div(integer, integer); int4eq(integer, integer); int4ge(integer, integer); int4gt(integer, integer);
int4le(integer, integer); int4lt(integer, integer); int4mi(integer, integer); int4mod(integer, integer);
int4mul(integer, integer); int4ne(integer, integer); int4not(integer); int4or(integer, integer);
int4pl(integer, integer); int4um(integer); int4up(integer); int4xor(integer, integer); int8(integer);
int8(smallint); int82div(bigint, smallint); int82eq(bigint, smallint); int82ge(bigint, smallint);
int82gt(bigint, smallint); int82le(bigint, smallint); int82lt(bigint, smallint); int82mi(bigint,
smallint); int82mul(bigint, smallint); int82ne(bigint, smallint); int82pl(bigint, smallint);
int84div(bigint, integer); int84eq(bigint, integer); int84ge(bigint, integer); int84gt(bigint, integer);
int84le(bigint, integer); int84lt(bigint, integer); int84mi(bigint, integer); int84mul(bigint, integer);
int84ne(bigint, integer); int84pl(bigint, integer); int8abs(bigint); int8and(bigint, bigint);
int8div(bigint, bigint); int8eq(bigint, bigint); int8ge(bigint, bigint); int8gt(bigint, bigint);
int8le(bigint, bigint); int8lt(bigint, bigint); int8mi(bigint, bigint); int8mod(bigint, bigint);
int8mul(bigint, bigint); int8ne(bigint, bigint); int8not(bigint); int8or(bigint, bigint); int8pl(bigint,
bigint); int8um(bigint); int8up(bigint); int8xor(bigint, bigint); length(text); ln(double precision);
lpad(text, integer); lpad(text, integer, text); ltrim(text); ltrim(text, text); md5(text); mod(bigint,
bigint); mod(integer, integer); mod(smallint, smallint); numeric(bigint); numeric(integer);
numeric(smallint); numeric_abs(numeric); numeric_eq(numeric, numeric); numeric_ge(numeric, numeric);
numeric_gt(numeric, numeric); numeric_le(numeric, numeric); numeric_lt(numeric, numeric);
numeric_ne(numeric, numeric); numeric_uminus(numeric); numeric_uplus(numeric); pi(); position(text, text);
replace(text, text, text); rpad(text, integer); rpad(text, integer, text); rtrim(text); rtrim(text, text);
sign(double precision); sqrt(double precision); starts_with(text, text); strpos(text, text); substr(text,
integer); substr(text, integer, integer); substring(text, integer); substring(text, integer, integer);
text(boolean); text_ge(text, text); text_gt(text, text); text_le(text, text); text_lt(text, text);
textcat(text, text); texteq(text, text); textlen(text); textne(text, text); timestamp(date);
timestamp_eq(timestamp without time zone, timestamp without time zone); timestamp_eq_date(timestamp
without time zone, date); timestamp_ge(timestamp without time zone, timestamp without time zone);
timestamp_ge_date(timestamp without time zone, date); timestamp_gt(timestamp without time zone, timestamp
without time zone); timestamp_gt_date(timestamp without time zone, date); timestamp_le(timestamp without
time zone, timestamp without time zone); timestamp_le_date(timestamp without time zone, date);
timestamp_lt(timestamp without time zone, timestamp without time zone); timestamp_lt_date(timestamp
without time zone, date); timestamp_ne(timestamp without time zone, timestamp without time zone);
timestamp_ne_date(timestamp without time zone, date); uuid_eq(uuid, uuid); uuid_ge(uuid, uuid);
uuid_gt(uuid, uuid); uuid_le(uuid, uuid); uuid_lt(uuid, uuid); uuid_ne(uuid, uuid)
"""
_BY_CONSTANTS = """
date_trunc(text, timestamp without time zone); texticlike(text, text); texticnlike(text, text);
texticregexeq(text, text); texticregexne(text, text); textlike(text, text); textnlike(text, text);
textregexeq(text, text); textregexne(text, text); varchar(character varying, integer, boolean)
"""
_AGGREGATES = """
avg(double precision); bit_and(bigint); bit_and(integer); bit_and(smallint); bit_or(bigint);
bit_or(integer); bit_or(smallint); bit_xor(bigint); bit_xor(integer); bit_xor(smallint);
bool_and(boolean); bool_or(boolean); count("any"); count(); every(boolean); max(bigint); max(date);
max(double precision); max(integer); max(numeric); max(real); max(smallint); max(text); max(timestamp
without time zone); min(bigint); min(date); min(double precision); min(integer); min(numeric); min(real);
min(smallint); min(text); min(timestamp without time zone); string_agg(text, text); sum(double precision);
sum(integer); sum(numeric); sum(smallint)
"""


def _listed(text: str) -> frozenset[str]:
    return frozenset(one.strip() for one in " ".join(text.split()).split(";"))


SURE_CALLS = _listed(_CALLS) | _listed(_BY_CONSTANTS)
SURE_AGGREGATES = _listed(_AGGREGATES)

// Prints the SQL that Knex makes of idiomatic queries over the telemetry, as lines of JSON ({id, query}).
//
// npm install knex; node bench/unseen/knex_queries.js > FILE     (the project does not need it)
//
// The tables are those of telemetry.sql; no server is asked.
const knex = require('knex')({ client: 'pg' });

const cost = () => knex('visits as v').sum('v.cost').whereRaw('v.technician_id = t.id');
const QUERIES = {
  'kx-costs': knex('technicians as t').select('t.id', 't.name', cost().as('cost')).orderBy('t.id'),
  'kx-dear-technicians': knex('technicians as t').select('t.id').whereRaw('(?) > ?', [cost(), 5000]),
  'kx-where-exists': knex('sites as s').select('s.id', 's.name').whereExists(
    knex('alarms as a').select('*').whereRaw('a.site_id = s.id').where('a.severity', 4)),
  'kx-not-in': knex('technicians').select('id', 'name').whereNotIn('id', knex('alarms').select('acked_by').whereNotNull('acked_by')),
  'kx-two-counts': knex('sites as s').select('s.region').countDistinct('a.id as alarms').countDistinct('v.id as visits')
    .leftJoin('alarms as a', 'a.site_id', 's.id').leftJoin('visits as v', 'v.site_id', 's.id').groupBy('s.region').orderBy('s.region'),
  'kx-month': knex('visits').sum('cost as cost').whereRaw("to_char(started_at, 'YYYY-MM') = ?", ['2024-02']),
  'kx-latest-visit': knex('visits as v').select('v.id', 'v.site_id').where('v.started_at',
    knex('visits as w').max('w.started_at').whereRaw('w.site_id = v.site_id')),
  'kx-page-count': knex.count('* as n').from(knex('alarms as a').select('a.id', 't.name').leftJoin('technicians as t', 't.id', 'a.acked_by')
    .where('a.severity', '>', 1).orderBy('a.raised_at').as('page')),
};

for (const [id, query] of Object.entries(QUERIES)) console.log(JSON.stringify({ id, query: query.toString() }));
process.exit(0);

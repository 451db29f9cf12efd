// Prints the SQL that TypeORM makes of idiomatic queries over the shop, as lines of JSON ({id, query}).
//
// npm install typeorm reflect-metadata pg; node bench/unseen/typeorm_queries.js > FILE     (the project needs neither)
//
// The entities describe shop.sql; no server is asked: what would be sent is caught.
require('reflect-metadata');
const { DataSource, EntitySchema, MoreThanOrEqual, In, Not, IsNull, Brackets } = require('typeorm');

const id = { type: 'int', primary: true };
const to = (target, name, inverse) => ({ type: 'many-to-one', target, joinColumn: { name }, inverseSide: inverse });
const of = (target, inverse) => ({ type: 'one-to-many', target, inverseSide: inverse });
const Customer = new EntitySchema({
  name: 'Customer', tableName: 'customers',
  columns: { id, email: { type: 'text' }, name: { type: 'text' }, country: { type: 'char', length: 2 }, segment: { type: 'text', nullable: true } },
  relations: { orders: of('Order', 'customer') },
});
const Order = new EntitySchema({
  name: 'Order', tableName: 'orders',
  columns: { id, placedAt: { type: 'timestamp', name: 'placed_at' }, status: { type: 'text' }, total: { type: 'numeric', precision: 12, scale: 2 } },
  relations: { customer: to('Customer', 'customer_id', 'orders'), lines: of('Line', 'order'), payments: of('Payment', 'order') },
});
const Product = new EntitySchema({
  name: 'Product', tableName: 'products', columns: { id, sku: { type: 'text' }, name: { type: 'text' }, active: { type: 'boolean' } },
  relations: { lines: of('Line', 'product') },
});
const Line = new EntitySchema({
  name: 'Line', tableName: 'order_lines',
  columns: { orderId: { type: 'int', primary: true, name: 'order_id' }, lineNo: { type: 'int', primary: true, name: 'line_no' }, quantity: { type: 'int' }, unitPrice: { type: 'numeric', name: 'unit_price' } },
  relations: { order: to('Order', 'order_id', 'lines'), product: to('Product', 'product_id', 'lines') },
});
const Payment = new EntitySchema({
  name: 'Payment', tableName: 'payments', columns: { id, amount: { type: 'numeric' }, paidAt: { type: 'timestamp', name: 'paid_at' }, failed: { type: 'boolean' } },
  relations: { order: to('Order', 'order_id', 'payments') },
});

const source = new DataSource({ type: 'postgres', entities: [Customer, Order, Product, Line, Payment] });
const said = [];
const count = (qb, alias, where) => qb.subQuery().select('COUNT(*)').from('Order', alias).where(where).getQuery();

const QUERIES = {
  'to-count-select': (db) => db.getRepository('Customer').createQueryBuilder('c').select(['c.id', 'c.name'])
    .addSelect((qb) => qb.select('COUNT(*)').from('Order', 'o').where('o.customer_id = c.id'), 'orders')
    .where('c.country = :c', { c: 'BR' }).orderBy('c.id').getRawMany(),
  'to-where-avg': (db) => db.getRepository('Line').createQueryBuilder('l').select(['l.orderId', 'l.lineNo', 'l.quantity'])
    .where((qb) => `l.unitPrice > ${qb.subQuery().select('1.9 * AVG(x.unit_price)').from('Line', 'x').where('x.product_id = l.product_id').getQuery()}`)
    .orderBy('l.orderId').addOrderBy('l.lineNo').getMany(),
  'to-latest-map': (db) => db.getRepository('Order').createQueryBuilder('o').select(['o.id', 'o.placedAt', 'o.total'])
    .where((qb) => `o.placedAt = ${qb.subQuery().select('MAX(x.placed_at)').from('Order', 'x').where('x.customer_id = o.customer_id').getQuery()}`)
    .orderBy('o.id').getMany(),
  'to-page-with-counts': (db) => db.getRepository('Order').createQueryBuilder('o').leftJoin('o.lines', 'l').select('o.id', 'id').addSelect('o.placedAt', 'placed_at')
    .addSelect('COUNT(l.line_no)', 'lines').addSelect('SUM(l.quantity)', 'items').groupBy('o.id').orderBy('o.placed_at', 'DESC').addOrderBy('o.id', 'DESC').limit(25).getRawMany(),
  'to-not-in': (db) => db.getRepository('Product').createQueryBuilder('p').select(['p.id', 'p.sku'])
    .where((qb) => `p.id NOT IN ${qb.subQuery().select('l.product_id').from('Line', 'l').innerJoin('l.order', 'o').where("o.placed_at >= '2024-12-20'").getQuery()}`)
    .orderBy('p.id').getMany(),
  'to-two-joins-distinct': (db) => db.getRepository('Order').createQueryBuilder('o').leftJoin('o.lines', 'l').leftJoin('o.payments', 'p').select('o.id', 'id')
    .addSelect('COUNT(DISTINCT l.line_no)', 'lines').addSelect('COUNT(DISTINCT p.id)', 'payments').where('o.status = :s', { s: 'cancelled' }).groupBy('o.id').orderBy('o.id').getRawMany(),
  'to-take-joined': (db) => db.getRepository('Customer').createQueryBuilder('c').innerJoinAndSelect('c.orders', 'o', 'o.status = :s', { s: 'open' }).orderBy('c.id').take(10).getMany(),
  'to-exists-or': (db) => db.getRepository('Customer').createQueryBuilder('c').select(['c.id', 'c.email'])
    .where(new Brackets((w) => { w.where((qb) => `EXISTS ${qb.subQuery().select('1').from('Order', 'o').where("o.customer_id = c.id AND o.coupon = 'C7'").getQuery()}`)
      .orWhere((qb) => `(SELECT COUNT(*) FROM orders x WHERE x.customer_id = c.id) > 40`); })).orderBy('c.id').getMany(),
};

async function main() {
  await source.buildMetadatas();
  source.createQueryRunner = () => { throw new Error('no server'); };
  const { PostgresQueryRunner } = require('typeorm/driver/postgres/PostgresQueryRunner');
  PostgresQueryRunner.prototype.query = async function (text, parameters, structured) { said.push(inlined(text, parameters || [])); return structured ? { raw: [], records: [], affected: 0 } : []; };
  PostgresQueryRunner.prototype.connect = async () => ({});
  PostgresQueryRunner.prototype.release = async () => {};
  delete source.createQueryRunner;
  for (const [name, make] of Object.entries(QUERIES)) {
    said.length = 0;
    try { await make(source.manager); } catch (e) { process.stderr.write(`${name}: ${e.message}\n`); }
    if (said.length) process.stdout.write(`${JSON.stringify({ id: name, query: said[0] })}\n`);
  }
}

// values in place of the parameters, as the simple protocol would carry them
function inlined(text, parameters) {
  return text.replace(/\$(\d+)/g, (_, n) => { const v = parameters[n - 1]; return typeof v === 'number' ? String(v) : `'${String(v).replace(/'/g, "''")}'`; });
}
main();

// Prints the SQL that Drizzle makes of idiomatic queries over the shop, as lines of JSON ({id, query}).
//
// npm install drizzle-orm pg; node bench/unseen/drizzle_queries.js > FILE     (the project needs neither)
//
// The tables describe shop.sql; no server is asked.
const { drizzle } = require('drizzle-orm/node-postgres');
const { pgTable, integer, text, timestamp, numeric, boolean, primaryKey } = require('drizzle-orm/pg-core');
const { relations, eq, gt, gte, and, or, sql, count, countDistinct, sum, max, avg, desc, asc, exists, notInArray, inArray, notExists } = require('drizzle-orm');

const customers = pgTable('customers', { id: integer('id').primaryKey(), name: text('name').notNull(), email: text('email').notNull(), country: text('country').notNull(), segment: text('segment') });
const orders = pgTable('orders', { id: integer('id').primaryKey(), customerId: integer('customer_id').notNull(), placedAt: timestamp('placed_at').notNull(), status: text('status').notNull(), total: numeric('total') });
const lines = pgTable('order_lines', { orderId: integer('order_id'), lineNo: integer('line_no'), productId: integer('product_id'), quantity: integer('quantity'), unitPrice: numeric('unit_price') },
  (t) => [primaryKey({ columns: [t.orderId, t.lineNo] })]);
const products = pgTable('products', { id: integer('id').primaryKey(), sku: text('sku'), name: text('name'), active: boolean('active') });
const payments = pgTable('payments', { id: integer('id').primaryKey(), orderId: integer('order_id'), amount: numeric('amount'), paidAt: timestamp('paid_at'), failed: boolean('failed') });
const schema = {
  customers, orders, lines, products, payments,
  customersRelations: relations(customers, ({ many }) => ({ orders: many(orders) })),
  ordersRelations: relations(orders, ({ one, many }) => ({ customer: one(customers, { fields: [orders.customerId], references: [customers.id] }), lines: many(lines), payments: many(payments) })),
  linesRelations: relations(lines, ({ one }) => ({ order: one(orders, { fields: [lines.orderId], references: [orders.id] }), product: one(products, { fields: [lines.productId], references: [products.id] }) })),
  paymentsRelations: relations(payments, ({ one }) => ({ order: one(orders, { fields: [payments.orderId], references: [orders.id] }) })),
};
const db = drizzle.mock({ schema });

const spent = db.select({ s: sum(orders.total) }).from(orders).where(eq(orders.customerId, customers.id));
const byCustomer = db.$with('by_customer').as(db.select({ customerId: orders.customerId, n: count().as('n'), last: max(orders.placedAt).as('last') }).from(orders).groupBy(orders.customerId));
const QUERIES = {
  'dz-relations-of-page': () => db.query.orders.findMany({ with: { customer: true, lines: { with: { product: true } } }, orderBy: [desc(orders.placedAt), desc(orders.id)], limit: 20 }),
  'dz-relations-filtered': () => db.query.customers.findMany({ columns: { id: true, name: true }, where: eq(customers.country, 'PL'), with: { orders: { columns: { id: true, total: true }, orderBy: [desc(orders.placedAt), desc(orders.id)], limit: 3 } }, orderBy: asc(customers.id) }),
  'dz-sum-subquery': () => db.select({ id: customers.id, spent: sql`(${spent})` }).from(customers).where(eq(customers.segment, 'trade')).orderBy(customers.id),
  'dz-with-few': () => db.with(byCustomer).select({ id: customers.id, n: byCustomer.n, last: byCustomer.last }).from(customers).innerJoin(byCustomer, eq(byCustomer.customerId, customers.id)).where(and(eq(customers.country, 'JP'), eq(customers.segment, 'trade'))).orderBy(customers.id),
  'dz-page-counts': () => db.select({ id: products.id, name: products.name, lines: count(lines.lineNo), sold: sum(lines.quantity) }).from(products).leftJoin(lines, eq(lines.productId, products.id)).groupBy(products.id).orderBy(asc(products.name), asc(products.id)).limit(30),
  'dz-two-fans': () => db.select({ id: orders.id, lines: countDistinct(lines.lineNo), payments: countDistinct(payments.id) }).from(orders).leftJoin(lines, eq(lines.orderId, orders.id)).leftJoin(payments, eq(payments.orderId, orders.id)).where(eq(orders.status, 'open')).groupBy(orders.id).orderBy(orders.id),
  'dz-above-average': () => db.select({ id: orders.id, total: orders.total }).from(orders).where(gt(orders.total, sql`(select 3 * avg(x.total) from orders x where x.customer_id = ${orders.customerId})`)).orderBy(orders.id),
  'dz-not-in': () => db.select({ id: products.id }).from(products).where(and(eq(products.active, true), sql`(${db.select({ n: count() }).from(lines).where(eq(lines.productId, products.id))}) = 0`)).orderBy(products.id),
};
const inlined = ({ sql: text, params }) => text.replace(/\$(\d+)/g, (_, n) => { const v = params[n - 1]; return typeof v === 'number' || typeof v === 'boolean' ? String(v) : `'${String(v).replace(/'/g, "''")}'`; });
for (const [id, make] of Object.entries(QUERIES)) process.stdout.write(`${JSON.stringify({ id, query: inlined(make().toSQL()) })}\n`);

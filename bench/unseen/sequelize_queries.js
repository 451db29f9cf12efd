// Prints the SQL that Sequelize makes of idiomatic queries over the helpdesk, as lines of JSON ({id, query}).
//
// npm install sequelize pg; node bench/unseen/sequelize_queries.js > FILE     (the project needs neither)
//
// The models describe helpdesk.sql; no server is asked: what would be sent is caught.
const { Sequelize, DataTypes, Op } = require('sequelize');

const sequelize = new Sequelize('postgres://u@localhost/none', { logging: false, databaseVersion: '16.0.0' });
const own = { timestamps: false, underscored: true };
const id = { type: DataTypes.BIGINT, primaryKey: true };
const Org = sequelize.define('org', { id, name: DataTypes.STRING, plan: DataTypes.STRING }, { ...own, tableName: 'orgs' });
const User = sequelize.define('user', { id, email: DataTypes.STRING, role: DataTypes.STRING }, { ...own, tableName: 'users' });
const Ticket = sequelize.define('ticket', {
  id, subject: DataTypes.STRING, status: DataTypes.STRING, priority: DataTypes.INTEGER, openedAt: DataTypes.DATE, deletedAt: DataTypes.DATE,
}, { ...own, tableName: 'tickets' });
const Comment = sequelize.define('comment', { id, isPublic: DataTypes.BOOLEAN, createdAt: DataTypes.DATE }, { ...own, tableName: 'comments' });
const Event = sequelize.define('event', { id, kind: DataTypes.STRING, at: DataTypes.DATE, minutes: DataTypes.INTEGER }, { ...own, tableName: 'events' });
Org.hasMany(Ticket); Ticket.belongsTo(Org);
Ticket.belongsTo(User, { as: 'requester', foreignKey: 'requester_id' });
Ticket.hasMany(Comment); Comment.belongsTo(Ticket);
Ticket.hasMany(Event); Event.belongsTo(Ticket);
Comment.belongsTo(User, { as: 'author', foreignKey: 'author_id' });

const said = [];
sequelize.query = async (text, options) => {
  said.push(typeof text === 'string' ? text : text.query);
  return options && options.plain ? { count: 0 } : [];
};
const comments = "(SELECT COUNT(*) FROM comments AS c WHERE c.ticket_id = ticket.id)";
const minutes = "(SELECT SUM(e.minutes) FROM events AS e WHERE e.ticket_id = ticket.id)";

const QUERIES = {
  'sq-attribute-subqueries': () => Ticket.findAll({
    attributes: ['id', [sequelize.literal(comments), 'comments'], [sequelize.literal(minutes), 'minutes']],
    where: { status: 'open' },
  }),
  'sq-order-by-subquery': () => Ticket.findAll({
    attributes: ['id', [sequelize.literal(minutes), 'minutes']], order: [[sequelize.literal('minutes'), 'DESC'], ['id', 'ASC']], limit: 20,
  }),
  'sq-page-required-many': () => Ticket.findAll({
    attributes: ['id', 'subject'], include: [{ model: Event, attributes: ['id', 'minutes'], where: { kind: 'escalate' }, required: true }],
    order: [['id', 'ASC']], limit: 20,
  }),
  'sq-counts-of-includes': () => Org.findAll({
    attributes: ['id', [sequelize.fn('COUNT', sequelize.fn('DISTINCT', sequelize.col('tickets.id'))), 'tickets'],
      [sequelize.fn('COUNT', sequelize.fn('DISTINCT', sequelize.col('tickets.comments.id'))), 'comments']],
    include: [{ model: Ticket, attributes: [], include: [{ model: Comment, attributes: [] }, { model: Event, attributes: [] }] }],
    group: ['org.id'],
  }),
  'sq-count-distinct-include': () => Ticket.count({ include: [{ model: Event, where: { kind: 'reopen' } }], distinct: true }),
  'sq-day': () => Event.findAll({
    attributes: ['id', 'minutes'],
    where: sequelize.where(sequelize.fn('date_trunc', 'day', sequelize.col('at'), 'UTC'), '2023-09-05 00:00:00+00'),
  }),
  'sq-nested-or': () => Ticket.findAll({
    attributes: ['id'], include: [{ model: Comment, attributes: [], required: false }],
    where: { [Op.or]: [{ '$comments.author_id$': 7 }, { requester_id: 7 }] }, group: ['ticket.id'],
  }),
  'sq-in-literal': () => Ticket.findAll({
    attributes: ['id', 'subject'],
    where: { id: { [Op.notIn]: sequelize.literal("(SELECT ticket_id FROM events WHERE kind = 'close')") }, status: 'open' },
  }),
};

(async () => {
  for (const [name, run] of Object.entries(QUERIES)) {
    said.length = 0;
    await run();
    console.log(JSON.stringify({ id: name, query: said.at(-1).replace(/;$/, '') }));
  }
})();

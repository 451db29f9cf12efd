-- a small web shop
create table country (code char(2) primary key, name text not null, vat numeric(4,2) not null);
create table category (id int primary key, parent_id int references category, name text not null);
create table product (
    id int primary key,
    category_id int not null references category,
    sku text not null unique,
    name text not null,
    price numeric(10,2) not null check (price >= 0),
    weight int,
    discontinued_at date
);
create table customer (
    id int primary key,
    email text not null unique,
    name text not null,
    country char(2) not null references country,
    segment text not null,
    created_on date not null,
    referred_by int references customer,
    phone text
);
create table orders (
    id int primary key,
    customer_id int not null references customer,
    status text not null,
    placed_at timestamp not null,
    total numeric(12,2) not null,
    coupon text,
    shipped_on date
);
create table item (
    order_id int not null references orders,
    line int not null,
    product_id int not null references product,
    quantity int not null check (quantity > 0),
    price numeric(10,2) not null,
    returned_on date,
    primary key (order_id, line)
);
create table payment (
    id int primary key,
    order_id int not null references orders,
    method text not null,
    amount numeric(12,2) not null,
    paid_at timestamp
);
create table review (
    id int primary key,
    product_id int not null references product,
    customer_id int references customer,
    stars int not null check (stars between 1 and 5),
    body text not null,
    written_on date not null
);
create index orders_customer on orders (customer_id);
create index orders_placed on orders (placed_at);
create index item_product on item (product_id);
create index payment_order on payment (order_id);
create index review_product on review (product_id);
create index customer_created on customer (created_on);
create index product_category on product (category_id);

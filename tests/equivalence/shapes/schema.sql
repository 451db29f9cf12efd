create table author (id int primary key, name text not null, country text collate "C", born date, vip boolean not null,
    nick text);
create table publisher (id int primary key, name text not null, code varchar(8) unique, abbr char(5) not null, city text);
create table book (id int primary key, author_id int not null references author, publisher_id int references publisher,
    title text not null, genre text collate "C", price numeric(8,2) not null, pages int, published date not null, stock smallint not null,
    check (pages between 1 and 20000), check (published between '1400-01-01' and '2200-01-01'));
create table review (id int primary key, book_id int not null references book, rater int, stars int not null,
    words text, at timestamp not null, seen timestamptz, check (stars between 1 and 5),
    check (at >= '1990-01-01' and at < '2100-01-01'));
create table tag (id int primary key, label text not null unique);
create table book_tag (book_id int not null references book, tag_id int not null references tag, primary key (book_id, tag_id));
create table note (k int, v int, w int, body text, at timestamp);
create table old (k int, v int, w int, body text, at timestamp);
create table account (id int primary key, owner int not null references author, kind text not null, closed boolean not null,
    email text not null, slot int, amount numeric(8,2) not null);
create unique index account_open on account (owner) where not closed;
create unique index account_email on account (lower(email));
create unique index account_slot on account (kind, slot) where slot is not null;
create table booking (id int primary key, room int not null, day int not null, desk int not null, active boolean not null, guest int references author,
    exclude using btree (room with =, day with =), exclude using btree (desk with =) where (active));
create table shift (id int primary key, span int4range, exclude using gist (span with &&));
create table event (id int not null, year int not null, kind text) partition by range (year);
create table event_2023 partition of event for values from (2023) to (2024);
create table event_2024 partition of event for values from (2024) to (2025);
create table call (id int not null, line text, size int) partition by list (line);
create table call_ab partition of call for values in ('a', 'b');
create table call_cn partition of call for values in ('c', null);
create table call_rest partition of call default;
create table spot (a int not null, b int not null, label text, primary key (a, b));
create table leg (id int primary key, a int, b int, len int not null, foreign key (a, b) references spot (a, b) match full);
create table hop (id int primary key, a int, b int, len int not null, foreign key (a, b) references spot (a, b));
create table person (email text not null, alias varchar(20) collate "POSIX", age int not null);
create unique index person_email on person (email collate "C");
create unique index person_alias on person (alias collate "C") nulls not distinct;
create table visit (id int primary key, email text not null, page text not null);

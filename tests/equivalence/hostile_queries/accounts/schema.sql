create table acct (id int primary key, owner text not null, code char(5), alias varchar(8), bal numeric(12,2) not null, lim numeric, opened date not null, closed timestamp, seen timestamptz, w float8, tags text[], state text collate "C");
create table mv (acct int not null references acct, seq int not null, amt numeric(12,2) not null, kind char(2), at timestamp not null, memo text, n int, primary key (acct, seq));
create table nx (a int, b int, f float8, t text, u numeric(8,3), v numeric(8,1));
create table ny (a int, b int, f float8, t varchar(4), u numeric(8,3), v numeric(10,1));
create table tree (id int primary key, up int references tree, w int not null);
create table slot (id int primary key, room int not null, lo int not null, hi int not null, check (lo < hi), check (lo >= 0 and hi <= 1000));

create table dept (id int primary key, name text not null, city text, budget numeric(12,2), boss int);
create table emp (
    id int primary key, dept int references dept, boss int references emp, name text not null, job text,
    sal int not null, bonus int, hired date not null, seen timestamp, rate numeric(8,2), active boolean not null,
    check (sal >= 0)
);
create table proj (id int primary key, dept int not null references dept, title text not null unique, cost numeric(12,2) not null, due date);
create table task (proj int not null references proj, num int not null, emp int references emp, hours int not null, state text not null,
    at timestamp not null, primary key (proj, num), check (state in ('open', 'done', 'late')));
create table log (k int, v int, w int, note text, at timestamptz);
create table old (k int, v int, w int, note text, at timestamptz);

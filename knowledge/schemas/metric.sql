-- measurements in monthly partitions
create table host (id int primary key, name text not null unique, region text not null);
create table metric (
    host_id int not null references host,
    at timestamp not null,
    cpu int not null,
    memory int,
    primary key (host_id, at)
) partition by range (at);
create table metric_01 partition of metric for values from ('2024-01-01') to ('2024-02-01');
create table metric_02 partition of metric for values from ('2024-02-01') to ('2024-03-01');
create table metric_03 partition of metric for values from ('2024-03-01') to ('2024-04-01');
create table metric_04 partition of metric for values from ('2024-04-01') to ('2024-05-01');
create table metric_05 partition of metric for values from ('2024-05-01') to ('2024-06-01');
create table metric_06 partition of metric for values from ('2024-06-01') to ('2024-07-01');
create table month (starts_at timestamp primary key, name text not null);

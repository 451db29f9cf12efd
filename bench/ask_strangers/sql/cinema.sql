create table film (film_id int primary key, title text not null, genre text, release_year int, running_time_min int, budget numeric, age_rating text);
create table person (person_id int primary key, first_name text, last_name text, birth_date date, nationality text);
create table film_cast (film_id int references film, person_id int references person, role_name text, primary key (film_id, person_id));
create table cinema (cinema_id int primary key, name text, city text, seats int, opened_on date, has_parking boolean);
create table screening (screening_id int primary key, film_id int references film, cinema_id int references cinema, starts_at timestamp, ticket_price numeric);
create table booking (booking_id int primary key, screening_id int references screening, visitor_email text, tickets int, booked_on date, cancelled boolean);
insert into film values (1,'Silent Harbour','Drama',2011,118,4200000,'PG'),(2,'Iron Orchard','Action',2015,131,38000000,'R'),(3,'Paper Moons','Comedy',2019,97,6100000,'PG'),
 (4,'The Ninth Bell','Horror',2019,102,2500000,'R'),(5,'Glass Tide','Drama',2021,140,15500000,'PG'),(6,'Lanterns','Comedy',2008,88,1900000,'U'),(7,'Low Season','Drama',2015,109,null,'PG');
insert into person values (1,'Ada','Moreno','1970-03-02','Spain'),(2,'Ben','Okafor','1985-11-19','Nigeria'),(3,'Clara','Jansen','1992-07-30','Netherlands'),
 (4,'Dov','Levi','1958-01-12','Israel'),(5,'Edith','Moreno','1999-05-05','Spain'),(6,'Farid','Haddad',null,'Lebanon');
insert into film_cast values (1,1,'Captain'),(1,2,'Sailor'),(2,2,'Foreman'),(2,3,'Pilot'),(2,4,'Judge'),(3,3,'Poet'),(3,1,'Aunt'),(4,5,'Bell ringer'),(5,1,'Widow'),(5,4,'Doctor'),(5,2,'Diver');
insert into cinema values (1,'Astoria','Lisbon',420,'1951-04-01',true),(2,'Roxy','Lisbon',180,'1987-09-15',false),(3,'Odeon','Bergen',300,'2003-02-20',true),(4,'Scala','Turin',250,'1999-12-01',false),(5,'Lumen','Bergen',90,'2016-06-06',null);
insert into screening values (1,1,1,'2024-01-05 20:00',9.5),(2,2,1,'2024-01-06 21:00',12),(3,3,2,'2024-01-06 18:00',8),(4,4,3,'2024-02-10 22:00',11),(5,5,3,'2024-02-11 19:30',10.5),
 (6,2,4,'2024-03-02 20:30',9),(7,5,1,'2024-03-03 17:00',10.5),(8,1,2,'2023-12-30 20:00',7.5),(9,3,4,'2024-03-09 16:00',6),(10,5,2,'2023-11-04 20:15',9);
insert into booking values (1,1,'a@x.org',2,'2024-01-02',false),(2,1,'b@x.org',4,'2024-01-03',false),(3,2,'a@x.org',1,'2024-01-04',true),(4,2,'c@x.org',3,'2024-01-05',false),
 (5,4,'d@x.org',2,'2024-02-01',false),(6,5,'b@x.org',5,'2024-02-02',false),(7,6,'e@x.org',1,'2024-02-25',true),(8,7,'a@x.org',2,'2024-03-01',false),(9,8,'c@x.org',2,'2023-12-28',false),(10,5,'a@x.org',3,'2024-02-09',true);

insert into author values (1,'Ann','it','1970-01-01',true,'ab'),(2,'Bob','de',null,false,'AB'),(3,'Cid',null,'5874897-12-30',false,'ac'),(4,'Bob','ab','infinity',true,'abz'),(5,'Eve','abx','1980-05-31',false,null);
insert into publisher values (1,'North','n1','ab','Rome'),(2,'South',null,'ab1',null),(3,'West','w','abc','Oslo'),(4,'East',null,'x','Rome');
insert into book values
 (1,1,1,'ab','ab',3.20,11,'2024-01-31',0),(2,1,null,'abc','ac',10.00,10,'2024-02-29',1),(3,2,2,'a_b one','ab',6.00,null,'2024-01-01',2),
 (4,2,2,'axb','sf',5.50,300,'2023-12-31',2),(5,2,null,'xab','abz',21.00,9,'2024-01-03',3),(6,4,1,'a.c','crime',0.00,5,'2025-01-01',0),
 (7,4,3,'ABC','a',99.99,20000,'2024-03-31',4),(8,1,1,'abab',null,4.00,12,'2024-01-10',7),(9,4,2,'cd','cd','NaN',3,'2024-01-11',-1);
insert into review values (1,1,1,5,'good','2024-05-01','2024-03-30 10:30+00'),(2,1,null,1,null,'2024-05-01 10:00','2024-03-30 11:30+00'),(3,1,2,5,'ok','2024-05-02','2024-10-26 23:30+00'),
 (4,3,1,3,'','2024-01-31 12:00',null),(5,4,9,5,'abc','2024-02-01','infinity'),(6,7,9,2,null,'2024-01-01','2024-03-31 10:00+00'),(7,4,1,5,'x','2023-12-31 23:59:59','2024-03-30 12:00+00');
insert into tag values (1,'new'),(2,'hot'),(3,'odd');
insert into book_tag values (1,1),(1,2),(2,1),(3,2),(4,2),(7,1);
insert into note values (1,1,1,'a@x',  '2024-01-31'),(1,1,1,'a@x','2024-01-31 10:00'),(2,null,3,'b','infinity'),(null,4,null,null,'2024-02-29'),(2147483647,2147483647,0,'ab','294276-12-31 23:30'),(3,-2147483648,5,'abc',null),(null,3,2,'c@x',null);
insert into old values (1,1,1,'a@x','2024-01-31'),(null,2,2,null,null),(2,2,null,'B','2024-02-29'),(2,2,3,'b',null);
insert into account values (1,1,'x',false,'A@x',1,5),(2,1,'x',true,'b@x',2,5),(3,1,'x',true,'c@x',null,7),(4,2,'y',true,'d@x',null,5),(5,4,'y',false,'E@x',4,9),(6,2,'y',true,'f@x',null,5);
insert into booking values (1,1,1,1,true,1),(2,1,2,1,false,1),(3,2,1,2,true,2),(4,2,2,1,false,null);
insert into shift values (1,'[1,3)'),(2,'[3,5)'),(3,'empty'),(4,null),(5,'empty'),(6,'[9,20)');
insert into event values (1,2023,'a'),(2,2023,null),(3,2024,'a'),(3,2024,'b'),(5,2024,null);
insert into call values (1,'a',5),(2,'b',5),(3,'c',6),(4,null,6),(5,'z',7),(5,'y',8);
insert into spot values (1,1,'p'),(1,2,'q'),(2,1,'r');
insert into leg values (1,1,1,5),(2,null,null,6),(3,1,2,7),(4,1,1,8);
insert into hop values (1,1,1,5),(2,null,null,6),(3,1,null,7),(4,null,1,8),(5,9,null,9),(6,2,1,4);
insert into person values ('Ann@x','a',30),('bob@x',null,40),('cy@x','c',50);
insert into visit values (1,'Ann@x','/'),(2,'Ann@x','/a'),(3,'bob@x','/'),(4,'Bob@x','/b');


delete from review; delete from book_tag; delete from book
delete from account; delete from note; delete from old; delete from event_2023; delete from hop; delete from leg; delete from visit
delete from review; delete from book_tag; delete from book; delete from account; delete from booking; delete from author
delete from old where k is null; delete from note where k is null
update book set publisher_id = 1; update author set born = '1990-01-01'
delete from review where id <> 1; update book set stock = 1; update note set k = 2
delete from old; update book set genre = 'sf', title = 'ab_x'
set local timezone = 'Europe/Berlin'; delete from note where k > 1000
update book set stock = 0, pages = null where author_id < 3
delete from review; delete from book_tag; delete from book where id <> 1

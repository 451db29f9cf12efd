-- accounts, posts, follows, messages
create table account (id int primary key, handle text not null unique, joined_on date not null, verified bool not null, bio text, city text);
create table follow (follower_id int not null references account, followed_id int not null references account, since date not null, primary key (follower_id, followed_id));
create table post (id int primary key, author_id int not null references account, posted_at timestamp not null, body text not null, reply_to int references post, lang text, hidden bool);
create table likes (post_id int not null references post, account_id int not null references account, at timestamp not null, primary key (post_id, account_id));
create table tag (id int primary key, name text not null unique);
create table post_tag (post_id int not null references post, tag_id int not null references tag, primary key (post_id, tag_id));
create table block (blocker_id int not null references account, blocked_id int not null references account, primary key (blocker_id, blocked_id));
create table message (id int primary key, sender_id int not null references account, receiver_id int not null references account, sent_at timestamp not null, read_at timestamp, body text not null);
create index post_author on post (author_id);
create index post_posted on post (posted_at);
create index likes_account on likes (account_id);
create index follow_followed on follow (followed_id);
create index message_receiver on message (receiver_id);
create index message_sender on message (sender_id);
create index post_reply on post (reply_to);

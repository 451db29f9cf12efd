-- people, departments, projects
create table site (id int primary key, city text not null, region text not null);
create table dept (id int primary key, name text not null unique, site_id int not null references site, budget int, parent_id int references dept);
create table emp (
    id int primary key,
    dept_id int references dept,
    manager_id int references emp,
    name text not null,
    job text not null,
    salary int not null,
    bonus int,
    hired_on date not null,
    left_on date
);
create table project (id int primary key, dept_id int not null references dept, name text not null, starts_on date not null, ends_on date, cost int not null);
create table assignment (emp_id int not null references emp, project_id int not null references project, role text not null, hours int not null, primary key (emp_id, project_id));
create table absence (id int primary key, emp_id int not null references emp, kind text not null, from_on date not null, to_on date not null);
create table skill (emp_id int not null references emp, skill text not null, level int, primary key (emp_id, skill));
create table salary_history (emp_id int not null references emp, valid_from date not null, amount int not null, primary key (emp_id, valid_from));
create index emp_dept on emp (dept_id);
create index assignment_project on assignment (project_id);
create index absence_emp on absence (emp_id);
create index emp_hired on emp (hired_on);

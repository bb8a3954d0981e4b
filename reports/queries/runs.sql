-- Every run: when, how it ended, and how many cases it counted.
SELECT run_id AS run, started, ended, exit_code AS exit,
       (SELECT sum(cases) FROM counter WHERE counter.run_id = run.run_id) AS cases,
       (SELECT count(*) FROM divergence WHERE first_run_id = run.run_id) AS "new findings",
       seed, assay_version AS assay, command
FROM run
ORDER BY run_id;

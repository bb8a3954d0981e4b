-- Views of an Assay database for people, for any SQLite browser and for reports/queries/*.sql.  The
-- store puts them into every database that it opens for writing; to put them in by hand:
--   sqlite3 x.db < reports/views.sql
-- The tables and what their columns mean: harness/store/schema.sql.

-- Executors by a short name: the name, with the number where several have it (say, two versions).
DROP VIEW IF EXISTS executor_label;
CREATE VIEW executor_label AS
SELECT executor_id,
       CASE WHEN count(*) OVER (PARTITION BY name) = 1 THEN name
            ELSE name || ' #' || executor_id END AS executor
FROM executor;

-- Cases by op, algorithm, types and executor, with one column per outcome.  Only `conforms` passed.
DROP VIEW IF EXISTS tally;
CREATE VIEW tally AS
SELECT executor_id, executor, op, algorithm, types,
       sum(cases) AS cases,
       sum(cases) FILTER (WHERE outcome = 'conforms') AS conforms,
       sum(cases) FILTER (WHERE outcome = 'diverges') AS diverges,
       sum(cases) FILTER (WHERE outcome = 'failed') AS failed,
       sum(cases) FILTER (WHERE outcome = 'refused') AS refused,
       sum(cases) FILTER (WHERE outcome = 'weak') AS weak,
       sum(cases) FILTER (WHERE outcome = 'no-oracle') AS no_oracle,
       max(ulp_error_max) AS ulp_error_max,
       max(slack_max) AS slack_max,
       max(backward_error_max) AS backward_error_max
FROM counter JOIN executor_label USING (executor_id)
GROUP BY executor_id, op, algorithm, types;

-- Findings with everything that is known of them: the worst case, and the shortest case line.
DROP VIEW IF EXISTS finding;
CREATE VIEW finding AS
SELECT divergence.divergence_id AS id,
       executor_id, executor, op, algorithm, types, outcome, class, broken_constraint,
       sightings, first_seen, last_seen, first_run_id, last_run_id, signature,
       worst.ulp_error, worst.slack, worst.backward_error,
       worst.result, worst.component, worst.wrong_count, worst.component_count,
       worst.got_bits, worst.got, worst.expected, worst.observed, worst.reason,
       worst.regime, worst.implementation, worst.case_seed,
       program.line AS program_line, worst.case_line,
       shortest.case_line AS shortest_case_line
FROM divergence
JOIN executor_label USING (executor_id)
JOIN reproducer AS worst
  ON worst.divergence_id = divergence.divergence_id AND worst.role = 'worst'
JOIN reproducer AS shortest
  ON shortest.divergence_id = divergence.divergence_id AND shortest.role = 'shortest'
JOIN program ON program.program_id = worst.program_id;

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

-- Pairs of executors that answered the same cases, each pair once, whatever its order was in a run.
DROP VIEW IF EXISTS agreement;
CREATE VIEW agreement AS
WITH ordered AS (
  SELECT first_executor_id AS first_id, second_executor_id AS second_id, op, algorithm, types,
         cases, alike_wrong, different, both_conform, first_diverges, second_diverges,
         both_diverge, undecided
  FROM pair WHERE first_executor_id <= second_executor_id
  UNION ALL
  SELECT second_executor_id, first_executor_id, op, algorithm, types,
         cases, alike_wrong, different, both_conform, second_diverges, first_diverges,
         both_diverge, undecided
  FROM pair WHERE first_executor_id > second_executor_id
)
SELECT first_id, first_label.executor AS first, second_id, second_label.executor AS second,
       op, algorithm, types,
       sum(cases) AS cases,
       sum(alike_wrong) AS alike_wrong,
       sum(different) AS different,
       sum(both_conform) AS both_conform,
       sum(first_diverges) AS first_diverges,
       sum(second_diverges) AS second_diverges,
       sum(both_diverge) AS both_diverge,
       sum(undecided) AS undecided
FROM ordered
JOIN executor_label AS first_label ON first_label.executor_id = first_id
JOIN executor_label AS second_label ON second_label.executor_id = second_id
GROUP BY first_id, second_id, op, algorithm, types;

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

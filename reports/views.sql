-- SPDX-License-Identifier: Apache-2.0
-- Views of an Assay database for people, for any SQLite browser and for reports/queries/*/*.sql.  The
-- store puts them into every database that it opens for writing; to put them in by hand:
--   sqlite3 x.db < reports/views.sql
-- The tables and what their columns mean: harness/store/sql/schema.sql.  `assay query` and `assay report`
-- read through the views of their own Assay, whatever the file has.
--
-- Columns that a comment before a view tells are its own.  A column that has no words there means what the
-- column of that name means in the tables, or one of these:
--   *.id: the number of the finding (divergence_id), as other verbs take it
--   *.executor: the executor's name, with its number where several have that name
--   *.family: ops that gather into one another, by one name; '' for all ops
--   *.severity_rank: the place of the severity, 1 is the gravest
--   *.known: the id of the known cause that it matches, '' if none
--   *.known_words: that cause in a line
--   *.hypothesis: what explains it: a known cause, the cause, or its class
--   *.cases, *.conforms, *.refused, *.weak, *.no_oracle: cases, and those with that outcome
--   *.wrong: cases that diverged or failed
--   *.findings: findings that were seen
--   *.new_findings: findings that were seen for the first time
--   *.small_case_line: the smallest case that is as grave as the gravest
--   *.p50, *.p90, *.p99: so many hundredths of the cases or elements are at most here
--   *.maximum: the largest
--   *.run_id, *.first_run_id, *.last_run_id: a run: the one that counted it, that saw it first, that saw it last
--   *.contract_id: a contract
--   *.divergence_id: a finding
--   *.profile_id: a profile
--   *.first_seen, *.last_seen: when it was seen for the first, and for the last time
--   *.started: when it began
--   *.created: when it was made
--   *.tested: when it was run again
--   *.origin: the database that counted it (meta, key 'database')
--   *.seed: the seed that all was drawn by
--   *.assay_version: the version of Assay that wrote it
--   *.terms_high: the largest number of terms that the row is about
--   *.ulp_error: the largest error, in units in the last place of the result
--   *.slack: the largest error over the permitted one; above 1 diverges
--   *.backward_error: the largest error over u times the sum of |terms|
--   *.cause_words: the cause in a sentence that names its index, '' if it is unknown
--   *.data_extent: how far the operands go from 1, in binary orders of magnitude; Inf of NaN and infinities
--   *.relative_error: the worst element's distance from what conforms, over the larger of the two

-- Executors by a short name: the name, with the number where several have it (say, two versions).
DROP VIEW IF EXISTS executor_label;
CREATE VIEW executor_label AS
SELECT executor_id,
       CASE WHEN count(*) OVER (PARTITION BY name) = 1 THEN name
            ELSE name || ' #' || executor_id END AS executor
FROM executor;

-- What the texts of an executor say, apart: the name as typed, the version and the hardware as the backend
-- tells them.  The machine that it ran on is in `run`.
--   backend: the name without release and options: "onednn" of "onednn@3.5?isa=AVX2"
--   asked_release: the release in the name, '' if there is none
--   options: what stands behind the question mark of the name, ''
--   version_number: the first number in the version, "3.5.2" of "onednn 3.5.2", ''
--   version_major, version_minor, version_patch: its parts as numbers, NULL where it has fewer
--   kernels: the hardware without the processor's model and the variables: an instruction set, kernels, a device
--   processor: the processor's model, where the backend tells it, ''
--   variables: variables of the environment that choose kernels, "NAME=value, NAME=value", ''
DROP VIEW IF EXISTS executor_part;
CREATE VIEW executor_part AS
WITH named AS (
  SELECT *, substr(name, 1, instr(name || '?', '?') - 1) AS plain,
         ltrim(version, 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ _-,:;()[]=+.') AS number_on,
         CASE WHEN hardware LIKE '%]' AND instr(hardware, ' [') > 0
              THEN instr(hardware, ' [') ELSE length(hardware) + 1 END AS parts_end
  FROM executor
), numbered AS (
  SELECT *, substr(number_on, 1, length(number_on) - length(ltrim(number_on, '0123456789.'))) AS number,
         substr(hardware, 1, parts_end - 1) AS parts,
         (SELECT max(processor) FROM (SELECT DISTINCT processor FROM run)
          WHERE processor <> '' AND instr(hardware, processor) > 0) AS model
  FROM named
), split AS (
  SELECT *, substr(number, instr(number || '.', '.') + 1) AS minor_on FROM numbered
)
SELECT executor_id, name,
       CASE WHEN instr(plain, '@') > 0 AND instr(plain, ':') = 0 THEN substr(plain, 1, instr(plain, '@') - 1)
            ELSE plain END AS backend,
       CASE WHEN instr(plain, '@') > 0 AND instr(plain, ':') = 0 THEN substr(plain, instr(plain, '@') + 1)
            ELSE '' END AS asked_release,
       substr(name, length(plain) + 2) AS options,
       version, rtrim(number, '.') AS version_number,
       CASE WHEN number <> '' THEN CAST(number AS INTEGER) END AS version_major,
       CASE WHEN minor_on <> '' THEN CAST(minor_on AS INTEGER) END AS version_minor,
       CASE WHEN instr(minor_on, '.') > 0
            THEN CAST(substr(minor_on, instr(minor_on, '.') + 1) AS INTEGER) END AS version_patch,
       hardware,
       trim(CASE WHEN model IS NULL THEN parts ELSE replace(parts, model, '') END, ' ,') AS kernels,
       coalesce(model, '') AS processor,
       CASE WHEN parts_end <= length(hardware)
            THEN substr(hardware, parts_end + 2, length(hardware) - parts_end - 2) ELSE '' END
         AS variables
FROM split;

-- Contracts, a row for each permission: what the text of `contract` says.
--   place: where it stands in the text, from 1
--   permission: its name, "order"
--   value: what the contract permits, "any"
DROP VIEW IF EXISTS contract_permission;
CREATE VIEW contract_permission AS
WITH RECURSIVE pair (contract_id, place, text, rest) AS (
  SELECT contract_id, 0, '', permissions || ',' FROM contract
  UNION ALL
  SELECT contract_id, place + 1, substr(rest, 1, instr(rest, ',') - 1),
         substr(rest, instr(rest, ',') + 1)
  FROM pair WHERE rest <> ''
)
SELECT contract_id, place, substr(text, 1, instr(text, '=') - 1) AS permission,
       substr(text, instr(text, '=') + 1) AS value
FROM pair WHERE instr(text, '=') > 0;

-- All runs of the file, also where one campaign is looked at alone: what it saw may have been seen
-- first by another (store/reader.c replaces this one then).
DROP VIEW IF EXISTS any_run;
CREATE VIEW any_run AS SELECT run_id, campaign FROM run;

-- Runs by the campaign that they are a part of; a run that stands alone is a campaign, "run 7".
DROP VIEW IF EXISTS run_label;
CREATE VIEW run_label AS
SELECT run_id, CASE campaign WHEN '' THEN 'run ' || run_id ELSE campaign END AS campaign
FROM any_run;

-- Campaigns in the order in which they began, the last one with the largest number: what ran, how it
-- ended, the findings that were seen and those that were seen for the first time.  Runs are processes:
-- slices that a run has absorbed count by themselves.
--   number: 1 is the campaign that began first
--   runs: processes
--   ulp_error_max: of what is wrong
--   slack_used_max: the largest share of the permitted error that a conforming case used up
DROP VIEW IF EXISTS campaign;
CREATE VIEW campaign AS
WITH ran AS (
  SELECT run_label.campaign,
         count(*) + sum((SELECT count(*) FROM absorbed_run
                         WHERE absorbed_run.run_id = run.run_id)) AS runs, min(started) AS started, max(ended) AS ended,
         min(run_id) AS first_run_id, sum(seconds) AS seconds,
         sum(oracle_seconds) AS oracle_seconds, sum(compile_seconds) AS compile_seconds,
         sum(executor_seconds) AS executor_seconds, sum(judge_seconds) AS judge_seconds
  FROM run JOIN run_label USING (run_id)
  GROUP BY run_label.campaign
), counted AS (  -- by run, in the order of the table
  SELECT campaign, sum(cases) AS cases, sum(conforms) AS conforms, sum(wrong) AS wrong,
         sum(refused) AS refused, sum(weak) AS weak, sum(no_oracle) AS no_oracle,
         max(ulp_error_max) AS ulp_error_max, max(slack_used_max) AS slack_used_max
  FROM (SELECT run_id, sum(cases) AS cases,
               sum(cases) FILTER (WHERE outcome = 'conforms') AS conforms,
               sum(cases) FILTER (WHERE outcome IN ('diverges', 'failed')) AS wrong,
               sum(cases) FILTER (WHERE outcome = 'refused') AS refused,
               sum(cases) FILTER (WHERE outcome = 'weak') AS weak,
               sum(cases) FILTER (WHERE outcome = 'no-oracle') AS no_oracle,
               max(ulp_error_max) FILTER (WHERE outcome IN ('diverges', 'failed')) AS ulp_error_max,
               max(slack_max) FILTER (WHERE outcome = 'conforms') AS slack_used_max
        FROM counter GROUP BY run_id)
  JOIN run_label USING (run_id)
  GROUP BY campaign
), seen AS (  -- a run has a row for each finding; those of several runs are to be told apart
  SELECT campaign,
         CASE count(*) WHEN 1 THEN sum(findings) ELSE (
           SELECT count(DISTINCT divergence_id) FROM sighting
           WHERE run_id IN (SELECT run_id FROM run_label AS its
                            WHERE its.campaign = run_label.campaign)) END AS findings
  FROM (SELECT run_id, count(*) AS findings FROM sighting GROUP BY run_id)
  JOIN run_label USING (run_id)
  GROUP BY campaign
), begun AS (
  SELECT campaign, sum(findings) AS findings
  FROM (SELECT first_run_id AS run_id, count(*) AS findings FROM divergence GROUP BY first_run_id)
  JOIN run_label USING (run_id)
  GROUP BY campaign
)
SELECT campaign, row_number() OVER (ORDER BY started, first_run_id) AS number,
       runs, started, ended,
       coalesce(cases, 0) AS cases, coalesce(conforms, 0) AS conforms, coalesce(wrong, 0) AS wrong,
       coalesce(refused, 0) AS refused, coalesce(weak, 0) AS weak,
       coalesce(no_oracle, 0) AS no_oracle,
       coalesce(seen.findings, 0) AS findings, coalesce(begun.findings, 0) AS new_findings,
       ulp_error_max, slack_used_max,
       seconds, oracle_seconds, compile_seconds, executor_seconds, judge_seconds
FROM ran LEFT JOIN counted USING (campaign) LEFT JOIN seen USING (campaign)
     LEFT JOIN begun USING (campaign);

-- Cases by op, algorithm, types and executor, with one column per outcome.  Only `conforms` passed.
--   diverges, failed: cases with that outcome
--   wrong_ulp_error_max: the largest error in ulps of cases that diverged or failed
--   conforming_backward_error_max: the largest backward error of cases that conform
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
       sum(elements) AS elements,
       sum(untested) AS untested,
       max(ulp_error_max) AS ulp_error_max,
       max(ulp_error_max) FILTER (WHERE outcome IN ('diverges', 'failed')) AS wrong_ulp_error_max,
       max(slack_max) AS slack_max,
       max(backward_error_max) AS backward_error_max,
       max(backward_error_max) FILTER (WHERE outcome = 'conforms') AS conforming_backward_error_max
FROM counter JOIN executor_label USING (executor_id)
GROUP BY executor_id, op, algorithm, types;

-- The same without types.  It reads the counters in their order, run by run, and sorts nothing that is long:
-- a night has hundreds of thousands of lists of types.
--   diverges, failed: cases with that outcome
--   wrong_ulp_error_max: the largest error in ulps of cases that diverged or failed
--   conforming_backward_error_max: the largest backward error of cases that conform
DROP VIEW IF EXISTS algorithm_tally;
CREATE VIEW algorithm_tally AS
WITH counted AS (
  SELECT run_id, executor_id, op, algorithm, sum(cases) AS cases,
         sum(cases) FILTER (WHERE outcome = 'conforms') AS conforms,
         sum(cases) FILTER (WHERE outcome = 'diverges') AS diverges,
         sum(cases) FILTER (WHERE outcome = 'failed') AS failed,
         sum(cases) FILTER (WHERE outcome = 'refused') AS refused,
         sum(cases) FILTER (WHERE outcome = 'weak') AS weak,
         sum(cases) FILTER (WHERE outcome = 'no-oracle') AS no_oracle,
         sum(elements) AS elements,
         sum(untested) AS untested,
         max(ulp_error_max) FILTER (WHERE outcome IN ('diverges', 'failed')) AS wrong_ulp_error_max,
         max(slack_max) AS slack_max,
         max(backward_error_max) FILTER (WHERE outcome = 'conforms') AS conforming_backward_error_max
  FROM counter
  GROUP BY run_id, executor_id, op, algorithm
)
SELECT executor_id, executor, op, algorithm,
       sum(cases) AS cases, sum(conforms) AS conforms, sum(diverges) AS diverges,
       sum(failed) AS failed, sum(refused) AS refused, sum(weak) AS weak,
       sum(no_oracle) AS no_oracle, sum(elements) AS elements, sum(untested) AS untested,
       max(wrong_ulp_error_max) AS wrong_ulp_error_max, max(slack_max) AS slack_max,
       max(conforming_backward_error_max) AS conforming_backward_error_max
FROM counted JOIN executor_label USING (executor_id)
GROUP BY executor_id, op, algorithm;

-- Pairs of executors that answered the same cases, each pair once, whatever its order was in a run.
--   first_id, second_id: executor_id of the two, the smaller one first
--   first, second: the executors by their short names
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

-- Severities, the gravest first: rank 1, 2, ...  `--severity FILE` gives them other ranks.
--   rank: 1 is the gravest
DROP VIEW IF EXISTS severity;
CREATE VIEW severity AS
SELECT column1 AS severity, column2 AS rank FROM (VALUES
  ('wrong-value-ordinary', 1), ('wrong-value', 2), ('wrong-index', 3), ('broken-execution', 4),
  ('nondeterminism', 5), ('wrong-algorithm', 6), ('nan-or-infinity', 7), ('precision', 8),
  ('flushing', 9), ('zero-sign', 10), ('acceptance', 11));

-- Known causes (corpus/known/*.def, and `--known FILE`), a row for each choice among their patterns of
-- GLOB; reports/known/known_fields.def has what the columns mean.  `assay query` and `assay report` fill
-- it in; in the file itself there are none.
--   place: in which order causes are tried
--   id: the cause's name
--   words: what it is, in a line
--   executor, version, op, algorithm, types, class, cause, got, expected, observed, data: patterns of GLOB for what a finding has
--   severity: what somebody said that it is worth, '' if nobody
--   title, why, clause: what a report says of it, why it happens, and the clause of the specification
--   links: where it is told or mended upstream
--   affected, mended, regressed: versions, in words
--   found: the case of corpus/found that shows it, ''
DROP VIEW IF EXISTS known;
CREATE VIEW known AS
SELECT 0 AS place, '' AS id, '' AS words, '' AS executor, '' AS version, '' AS op, '' AS algorithm,
       '' AS types, '' AS class, '' AS cause, '' AS got, '' AS expected, '' AS observed, '' AS data, '' AS severity, '' AS title,
       '' AS why, '' AS clause, '' AS links, '' AS affected, '' AS mended, '' AS regressed,
       '' AS found
WHERE false;

-- Ops that gather into one another have one family: their elements are computed alike.
DROP VIEW IF EXISTS op_family;
CREATE VIEW op_family AS
SELECT column1 AS op, column2 AS family FROM (VALUES
  ('stablehlo.dot_general', 'products'), ('stablehlo.convolution', 'products'),
  ('stablehlo.reduce', 'reductions'), ('stablehlo.reduce_window', 'reductions'),
  ('stablehlo.select_and_scatter', 'reductions'), ('stablehlo.all_reduce', 'reductions'),
  ('stablehlo.reduce_scatter', 'reductions'), ('byteir.addn', 'reductions'),
  ('stablehlo.batch_norm_training', 'batch norms'), ('stablehlo.batch_norm_grad', 'batch norms'),
  ('byteir.softmax', 'softmaxes'), ('byteir.log_softmax', 'softmaxes'),
  ('byteir.arg_max', 'places of extremes'), ('byteir.arg_min', 'places of extremes'));

-- Known causes by the executors, ops and classes of findings that they may be about.
--   place: of the known cause, as in `known`
DROP VIEW IF EXISTS known_here;
CREATE VIEW known_here AS
SELECT kind.executor_id, kind.op, kind.class, known.place, known.algorithm, known.types,
       known.cause, known.got, known.expected, known.observed, known.data
FROM (SELECT DISTINCT executor_id, op, class FROM divergence) AS kind
JOIN executor USING (executor_id)
JOIN known ON kind.op GLOB known.op AND kind.class GLOB known.class
 AND (executor.name GLOB known.executor OR executor.name GLOB known.executor || '[?@:]*')
 AND executor.version GLOB known.version
ORDER BY CAST(known.place AS INTEGER);

-- Findings with their grade and what explains them, told without their cases, so that it is cheap.
-- severity is that of what is known of it, if somebody said so there; own_severity that of its gravest
-- case.
--
-- hypothesis is what explains it: a known cause, the cause, or, where that is unknown, its class.
-- family is for whom that holds: '' for all ops, where the cause is how numbers are read or written.
--   severity: of what is known of it, if somebody said so there, else own_severity
--   own_severity: of its gravest case
DROP VIEW IF EXISTS graded;
CREATE VIEW graded AS
WITH placed AS (
  SELECT divergence.*,
         (SELECT place FROM known_here
          WHERE known_here.executor_id = divergence.executor_id
            AND known_here.op = divergence.op AND known_here.class = divergence.class
            AND divergence.algorithm GLOB known_here.algorithm
            AND divergence.types GLOB known_here.types
            AND divergence.cause GLOB known_here.cause
            AND (known_here.got = '*' AND known_here.expected = '*' AND known_here.observed = '*' AND known_here.data = '*' OR EXISTS (
              SELECT 1 FROM reproducer
              WHERE reproducer.divergence_id = divergence.divergence_id AND role = 'gravest'
                AND reproducer.got GLOB known_here.got
                AND reproducer.expected GLOB known_here.expected
                AND reproducer.observed GLOB known_here.observed
                AND iif(coalesce(nan_elements, 0) > 0, 'nan ', '') || iif(coalesce(infinite_elements, 0) > 0, 'infinite ', '')
                    || iif(coalesce(subnormal_elements, 0) > 0, 'subnormal ', '') GLOB known_here.data))
          LIMIT 1) AS known_place
  FROM divergence
)
SELECT placed.divergence_id, placed.executor_id, placed.signature, placed.op, placed.algorithm,
       placed.types, placed.outcome, placed.class, placed.broken_constraint, placed.sightings,
       placed.first_seen, placed.last_seen, placed.first_run_id, placed.last_run_id, placed.cause,
       placed.pattern, placed.first_ordinal, placed.severity AS own_severity, placed.severity_weight,
       severity.severity, severity.rank AS severity_rank,
       coalesce(known.id, '') AS known, coalesce(known.words, '') AS known_words,
       CASE WHEN known.id IS NOT NULL THEN 'known ' || known.id
            WHEN placed.cause <> '' THEN placed.cause
            ELSE rtrim('class ' || placed.class || ' ' || placed.broken_constraint) END AS hypothesis,
       CASE WHEN known.id IS NOT NULL OR placed.cause IN (
                   'negative-zero-lost', 'zero-negated', 'infinity-as-largest', 'nan-as-infinity',
                   'flushed-operands', 'flushed-results',
                   'flushed') THEN ''
            ELSE coalesce(op_family.family, placed.op) END AS family
FROM placed
LEFT JOIN known ON known.place = known_place
CROSS JOIN severity  -- CROSS: findings are the outer loop.
  ON severity.severity = coalesce(nullif(known.severity, ''), placed.severity)
LEFT JOIN op_family ON op_family.op = placed.op;

-- Findings with everything that is known of them: what `graded` tells, the worst case, the shortest case
-- line, the gravest case, and the one to look at (small_...): of the shrunk, the shortest and the gravest
-- one the first that has the severity of the gravest; its seed is '0' if it was not drawn.
--   program_line, case_line: of the worst case
--   special_share: of its operands' numbers, those that are NaN, infinite or subnormal: 0 to 1
--   shortest_case_line: of the shortest case
--   is_shrunk: 1 if the small case was made small
--   small_case_seed: of the small case
--   small_got, small_expected: its worst element, and what would conform
--   small_wrong_count, small_component_count: its wrong elements, of so many
--   first_campaign: the campaign that saw it first
--   twin: the executor that it was held against, of class twins, else ''
DROP VIEW IF EXISTS finding;
CREATE VIEW finding AS
WITH kept AS (
  SELECT graded.*, executor_label.executor,
         run_label.campaign AS first_campaign,
         gravest.data_extent, gravest.relative_error,
         CASE gravest.severity
           WHEN (SELECT severity FROM reproducer AS shrunk
                 WHERE shrunk.divergence_id = graded.divergence_id AND shrunk.role = 'shrunk')
             THEN 'shrunk'
           WHEN shortest.severity THEN 'shortest' ELSE 'gravest' END AS small_role,
         shortest.case_line AS shortest_case_line
  FROM graded
  JOIN executor_label USING (executor_id)
  JOIN run_label ON run_label.run_id = first_run_id
  JOIN reproducer AS gravest
    ON gravest.divergence_id = graded.divergence_id AND gravest.role = 'gravest'
  JOIN reproducer AS shortest
    ON shortest.divergence_id = graded.divergence_id AND shortest.role = 'shortest'
)
SELECT kept.divergence_id AS id,
       executor_id, kept.executor, kept.op, kept.algorithm, kept.types,
       outcome, kept.class, broken_constraint,
       kept.severity, kept.severity_rank, kept.severity_weight, kept.data_extent,
       kept.relative_error,
       sightings, first_seen, last_seen, first_run_id, last_run_id, signature,
       worst.ulp_error, worst.slack, worst.backward_error,
       worst.result, worst.component, worst.wrong_count, worst.component_count,
       worst.got_bits, worst.got, worst.expected, worst.observed, worst.reason,
       worst.regime, worst.stratum, worst.implementation, worst.case_seed,
       worst.terms, worst.condition, worst.term_magnitude, worst.sum_magnitude,
       worst.operand_elements, worst.nan_elements, worst.infinite_elements,
       worst.subnormal_elements,
       1.0 * (worst.nan_elements + worst.infinite_elements + worst.subnormal_elements)
         / nullif(worst.operand_elements, 0) AS special_share,
       worst.seconds, worst.ordinal, kept.first_ordinal,
       program.line AS program_line, worst.case_line,
       shortest_case_line,
       small.case_line AS small_case_line,
       small_role = 'shrunk' AS is_shrunk,
       CASE small_role WHEN 'shrunk' THEN '0' ELSE small.case_seed END AS small_case_seed,
       small.got AS small_got,
       small.expected AS small_expected,
       small.wrong_count AS small_wrong_count,
       small.component_count AS small_component_count,
       kept.cause,
       coalesce(nullif(small.cause_words, ''), worst.cause_words) AS cause_words,
       pattern,
       first_campaign, known, known_words, hypothesis, family,
       CASE kept.class WHEN 'twins'
         THEN substr(small.observed, 6, instr(small.observed, ': ') - 6) ELSE '' END AS twin
FROM kept
JOIN reproducer AS worst ON worst.divergence_id = kept.divergence_id AND worst.role = 'worst'
JOIN reproducer AS small ON small.divergence_id = kept.divergence_id AND small.role = small_role
JOIN program ON program.program_id = worst.program_id;

-- Findings with one root cause: those of one executor that one hypothesis explains, whatever their
-- types, algorithms, shapes and, in one family, ops.  The example is the gravest, and of those the one
-- with the shortest case line.  severity_weight: of the gravest finding.
--   ops, algorithms, types: how many different ones its findings have
--   op_list, algorithm_list, type_list: these by name, with commas between them
--   slack_max, ulp_error_max: the largest of its findings
--   example_id: the finding that stands for it
DROP VIEW IF EXISTS root_cause;
CREATE VIEW root_cause AS
WITH placed AS (
  SELECT finding.*,
         row_number() OVER (PARTITION BY executor_id, hypothesis, family
                            ORDER BY severity_rank, length(small_case_line), id) AS place
  FROM finding
)
SELECT executor_id, executor, hypothesis, family, known, known_words, cause,
       max(CASE place WHEN 1 THEN severity END) AS severity,
       min(severity_rank) AS severity_rank,
       max(CASE severity_rank WHEN first_rank THEN severity_weight END) AS severity_weight,
       max(CASE place WHEN 1 THEN op END) AS op,
       max(CASE place WHEN 1 THEN class END) AS class,
       count(*) AS findings,
       sum(first_campaign = (SELECT campaign FROM campaign ORDER BY number DESC LIMIT 1))
         AS new_findings,
       sum(sightings) AS sightings,
       count(DISTINCT op) AS ops, count(DISTINCT algorithm) AS algorithms,
       count(DISTINCT types) AS types,
       group_concat(DISTINCT op) AS op_list, group_concat(DISTINCT algorithm) AS algorithm_list,
       group_concat(DISTINCT types) AS type_list,
       min(first_seen) AS first_seen, max(last_seen) AS last_seen,
       max(slack) AS slack_max, max(ulp_error) AS ulp_error_max,
       max(CASE place WHEN 1 THEN id END) AS example_id,
       max(CASE place WHEN 1 THEN cause_words END) AS cause_words,
       max(CASE place WHEN 1 THEN pattern END) AS pattern,
       max(CASE place WHEN 1 THEN small_case_line END) AS small_case_line
FROM (SELECT *, min(severity_rank) OVER (PARTITION BY executor_id, hypothesis, family) AS first_rank
      FROM placed)
GROUP BY executor_id, hypothesis, family;

-- How large errors are: so many hundredths of the cases have an error of at most p50, p90, p99.  From
-- buckets that are a fourth of a binary order of magnitude wide: up to 19 % too large.  The maximum
-- is exact.
DROP VIEW IF EXISTS percentile;
CREATE VIEW percentile AS
WITH bucketed AS (
  SELECT executor_id, op, algorithm, types, measure, bucket, max(high) AS high,
         sum(cases) AS cases
  FROM histogram
  GROUP BY executor_id, op, algorithm, types, measure, bucket
), running AS (
  SELECT *, sum(cases) OVER (same ORDER BY bucket) AS so_far, sum(cases) OVER same AS total
  FROM bucketed
  WINDOW same AS (PARTITION BY executor_id, op, algorithm, types, measure)
), ranked AS (
  SELECT executor_id, op, algorithm, types, measure, max(total) AS cases,
         min(high) FILTER (WHERE so_far >= 0.5 * total) AS p50,
         min(high) FILTER (WHERE so_far >= 0.9 * total) AS p90,
         min(high) FILTER (WHERE so_far >= 0.99 * total) AS p99,
         max(high) AS p100
  FROM running
  GROUP BY executor_id, op, algorithm, types, measure
), extreme AS (
  SELECT executor_id, op, algorithm, types,
         max(ulp_error_max) AS ulp, max(slack_max) AS slack
  FROM counter
  GROUP BY executor_id, op, algorithm, types
), known AS (
  SELECT ranked.*, coalesce(CASE measure WHEN 'ulp' THEN ulp ELSE slack END, p100) AS maximum
  FROM ranked LEFT JOIN extreme USING (executor_id, op, algorithm, types)
)
SELECT executor_id, executor, op, algorithm, types, measure, cases,
       min(p50, maximum) AS p50, min(p90, maximum) AS p90, min(p99, maximum) AS p99, maximum
FROM known JOIN executor_label USING (executor_id);

-- How large an error would have been seen under a contract and a version of Assay: half, and nine tenths, of
-- the elements that were measured have a tolerance of at most median, p90 units in the last place.  From
-- buckets, as percentiles are: up to 19 % too large.
--   elements: that were measured
--   vacuous: of these, where zero and twice the exact value conform too
--   median, worst: half of them, and all, have a tolerance of at most so many ulps
--   since: when the first run with the contract and version began
DROP VIEW IF EXISTS power;
CREATE VIEW power AS
WITH bucketed AS (
  SELECT contract_id, assay_version, op, algorithm, types, terms_low, bucket,
         max(terms_high) AS terms_high, max(high) AS high, sum(cases) AS elements,
         sum(cases * is_vacuous) AS vacuous, min(started) AS started
  FROM tolerance JOIN run USING (run_id)
  GROUP BY contract_id, assay_version, op, algorithm, types, terms_low, bucket
), running AS (
  SELECT *, sum(elements) OVER (same ORDER BY bucket) AS so_far, sum(elements) OVER same AS total
  FROM bucketed
  WINDOW same AS (PARTITION BY contract_id, assay_version, op, algorithm, types, terms_low)
)
SELECT contract_id, assay_version, op, algorithm, types, terms_low, max(terms_high) AS terms_high,
       max(total) AS elements, sum(vacuous) AS vacuous,
       min(high) FILTER (WHERE so_far >= 0.5 * total) AS median,
       min(high) FILTER (WHERE so_far >= 0.9 * total) AS p90,
       max(high) AS worst, min(started) AS since
FROM running
GROUP BY contract_id, assay_version, op, algorithm, types, terms_low;

-- Constraints of the specifications, by op and id: programs that broke them on purpose, and how many
-- of these were rejected, as is right, or accepted; a case is counted once for each executor.  0
-- drawn: the constraint was never put to the test.
--   drawn, rejected, accepted: cases that broke it, those that were rejected and those that were accepted
--   neither: cases that were neither: the executor failed
--   accepted_by: executors that accepted one, with commas between them
DROP VIEW IF EXISTS constraint_coverage;
CREATE VIEW constraint_coverage AS
WITH counted AS (
  SELECT op, broken_constraint, sum(cases) AS drawn,
         sum(cases) FILTER (WHERE outcome = 'conforms') AS rejected,
         sum(cases) FILTER (WHERE outcome = 'diverges') AS accepted,
         group_concat(DISTINCT CASE outcome WHEN 'diverges' THEN executor END) AS accepted_by
  FROM constraint_counter JOIN executor_label USING (executor_id)
  GROUP BY op, broken_constraint
), known AS (
  SELECT op, broken_constraint, text FROM op_constraint
  UNION ALL
  SELECT op, broken_constraint, '' FROM counted
  WHERE (op, broken_constraint) NOT IN (SELECT op, broken_constraint FROM op_constraint)
)
SELECT op, broken_constraint,
       coalesce(drawn, 0) AS drawn, coalesce(rejected, 0) AS rejected,
       coalesce(accepted, 0) AS accepted,
       coalesce(drawn, 0) - coalesce(rejected, 0) - coalesce(accepted, 0) AS neither,
       coalesce(accepted_by, '') AS accepted_by, text
FROM known LEFT JOIN counted USING (op, broken_constraint);

-- Versions of executors in the order in which they were first run: step 1, 2, ... of a name.  The
-- same version on other hardware is the same step.
--   step: 1 is the version that was run first
DROP VIEW IF EXISTS executor_step;
CREATE VIEW executor_step AS
WITH ran AS (
  SELECT DISTINCT executor_id, run_id FROM counter
  UNION SELECT executor_id, first_run_id FROM divergence
  UNION SELECT executor_id, run_id FROM retest
), begun AS (
  SELECT name, version, min(printf('%s %012d', coalesce(started, '9999'), coalesce(run_id, 0)))
           AS begin, min(executor_id) AS first_id  -- where one run saw several
  FROM executor LEFT JOIN ran USING (executor_id) LEFT JOIN run USING (run_id)
  GROUP BY name, version
), ordered AS (
  SELECT name, version,
         row_number() OVER (PARTITION BY name ORDER BY begin, first_id, version) AS step
  FROM begun
)
SELECT executor_id, name, version, hardware, step FROM executor JOIN ordered USING (name, version);

-- The findings whose lives are told: all, unless who asks puts fewer in its place.
DROP VIEW IF EXISTS asked_for;
CREATE VIEW asked_for AS SELECT * FROM divergence;

-- The life of each finding: of an executor's name and a signature, all versions together.
--   new             open, and the newest search (a run, or all runs of its campaign) saw it first
--   known           open, and older
--   waived          open, with a waiver that holds today; waiver-expired: one that does not any more
--   regressed       open again after a retest had found it gone; an older waiver does not hold for it
--   fixed           gone: a retest ran all its cases, and no such version or later one showed it since
--   changed         like fixed, but its cases diverge in another way: under another signature
-- What was seen at an older version does not reopen what a newer one has closed.  What was seen on
-- several kinds of hardware is closed once it is closed on each of them.
--
-- is_news is 1 for what the newest search brought: what is new, what is regressed and was seen again
-- by no older search, and what a waiver has ceased to hold for.
--   executor: the name alone: all versions, all hardware
--   state: one of those above
--   first_version, last_version: the first and the last version that showed it
--   last_good_version: the last one that a retest found it gone in, NULL if none
--   open_on: the hardware on which it is open, with semicolons between
--   waiver_reason, waiver_owner, waiver_created, waiver_expires: of the waiver that holds or has held, NULL if none
--   is_news: 1 for news
DROP VIEW IF EXISTS finding_state;
CREATE VIEW finding_state AS
WITH saw AS (  -- "STEP TIME RUN" sorts as events do
  SELECT name, hardware, signature, step, version, divergence.*,
         printf('%06d %s %012d', step, first_seen, first_run_id) AS first_key,
         printf('%06d %s %012d', step, last_seen, last_run_id) AS last_key,
         printf('%s %012d', run.started, run.run_id) AS begin
  FROM asked_for AS divergence
  JOIN executor_step USING (executor_id) JOIN run ON run.run_id = first_run_id
), seen AS (
  SELECT name, hardware, signature, min(first_key) AS first_key, max(last_key) AS last_key
  FROM saw GROUP BY name, hardware, signature
), closed AS (  -- a retest that has seen the finding after all, with another case, closes nothing
  SELECT name, hardware, retest.signature, result,
         printf('%06d %s %012d', step, tested, retest.run_id) AS key,
         printf('%06d %s', step, version) AS good
  FROM retest JOIN executor_step USING (executor_id)
  WHERE result IN ('gone', 'changed') AND NOT EXISTS (
    SELECT 1 FROM divergence JOIN sighting USING (divergence_id)
    WHERE divergence.executor_id = retest.executor_id
      AND divergence.signature = retest.signature AND sighting.run_id = retest.run_id)
), here AS (  -- by hardware
  SELECT seen.*, max(closed.key) AS closed_key,
         max(closed.key) FILTER (WHERE result = 'gone') AS gone_key,
         max(closed.key) FILTER (
           WHERE result = 'gone' AND key > first_key AND key < last_key) AS fixed_key,
         max(closed.good) FILTER (WHERE result = 'gone') AS good
  FROM seen LEFT JOIN closed USING (name, hardware, signature)
  GROUP BY name, hardware, signature
), life AS (
  SELECT name, signature,
         max(closed_key IS NULL OR closed_key < last_key) AS is_open,
         group_concat(CASE WHEN closed_key IS NULL OR closed_key < last_key THEN hardware END, '; ')
           AS open_on,
         max(fixed_key) FILTER (WHERE closed_key < last_key) AS fixed_key,
         max(closed_key = gone_key) AS is_gone,
         max(good) AS good
  FROM here GROUP BY name, signature
), searched AS (  -- the newest run of each executor that looked for findings
  SELECT name, max(printf('%s %012d', started, run_id)) AS begin, campaign
  FROM (SELECT executor_id, run_id FROM counter UNION
        SELECT executor_id, last_run_id FROM divergence)
  JOIN executor USING (executor_id) JOIN run USING (run_id)
  WHERE run_id NOT IN (SELECT run_id FROM retest) AND run_id NOT IN (SELECT run_id FROM result_bits)
  GROUP BY name
), newest AS (
  SELECT name, CASE WHEN campaign = '' THEN begin ELSE
           (SELECT min(printf('%s %012d', started, run_id)) FROM run
            WHERE run.campaign = searched.campaign) END AS begin
  FROM searched
), reopened AS (  -- those that an older search than the newest has seen again
  SELECT DISTINCT saw.name, saw.signature
  FROM life JOIN saw USING (name, signature) JOIN newest USING (name)
       JOIN sighting USING (divergence_id) JOIN run ON run.run_id = sighting.run_id
  WHERE printf('%06d %s %012d', saw.step, run.started, run.run_id) > fixed_key
    AND printf('%s %012d', run.started, run.run_id) < newest.begin
), held AS (
  SELECT executor AS name, signature, max(created) AS created, reason, owner, expires
  FROM waiver WHERE withdrawn IS NULL GROUP BY executor, signature
), known AS (
  SELECT name, signature, max(divergence_id) AS id, op, algorithm, types, outcome, class,
         broken_constraint, cause, sum(sightings) AS sightings, min(first_seen) AS first_seen,
         max(last_seen) AS last_seen, min(saw.begin) AS begin,
         substr(min(printf('%06d %s', step, version)), 8) AS first_version,
         substr(max(printf('%06d %s', step, version)), 8) AS last_version
  FROM saw GROUP BY name, signature
)
SELECT id, name AS executor, signature, op, algorithm, types, outcome, class, broken_constraint,
       cause,
       CASE
         WHEN NOT is_open THEN CASE WHEN is_gone THEN 'fixed' ELSE 'changed' END
         WHEN created >= substr(coalesce(fixed_key, ''), 8, 20) THEN
           CASE WHEN expires >= date('now') THEN 'waived' ELSE 'waiver-expired' END
         WHEN fixed_key IS NOT NULL THEN 'regressed'
         WHEN known.begin >= newest.begin THEN 'new'
         ELSE 'known'
       END AS state,
       sightings, first_seen, last_seen, first_version, last_version,
       substr(good, 8) AS last_good_version, open_on,
       reason AS waiver_reason, owner AS waiver_owner, created AS waiver_created,
       expires AS waiver_expires,
       CASE
         WHEN NOT is_open THEN 0
         WHEN created >= substr(coalesce(fixed_key, ''), 8, 20) THEN expires < date('now')
         WHEN fixed_key IS NOT NULL THEN (name, signature) NOT IN (SELECT name, signature FROM reopened)
         ELSE known.begin >= newest.begin
       END AS is_news
FROM known JOIN life USING (name, signature)
LEFT JOIN newest USING (name) LEFT JOIN held USING (name, signature);

-- Waivers that were not withdrawn, and whether they are needed as they stand.
--   holds      its finding is open and waived
--   expired    its finding is open, and the waiver's last day has passed
--   outlived   its finding was fixed after the waiver was made, and came back
--   vanished   its finding is fixed
--   changed    its cases diverge in another way
--   unseen     no such finding is in this database
--   state: one of those above
DROP VIEW IF EXISTS waiver_state;
CREATE VIEW waiver_state AS
SELECT waiver.executor, waiver.signature, finding_state.id,
       CASE state WHEN 'waived' THEN 'holds' WHEN 'waiver-expired' THEN 'expired'
                  WHEN 'fixed' THEN 'vanished' WHEN 'changed' THEN 'changed'
                  WHEN 'regressed' THEN 'outlived' ELSE 'unseen' END AS state,
       reason, owner, max(created) AS created, expires, op, algorithm, types, class
FROM waiver LEFT JOIN finding_state
  ON finding_state.executor = waiver.executor AND finding_state.signature = waiver.signature
WHERE withdrawn IS NULL
GROUP BY waiver.executor, waiver.signature;

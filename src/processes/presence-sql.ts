/** How long a process's report counts, in seconds: two may be late or lost. How long a silent one is news, in minutes. */
const freshSeconds = 15
const newsMinutes = 10

/** SQL about rows of `processes`: whether a process is present. */
export const isFresh = `seen_at > statement_timestamp() - interval '${freshSeconds} seconds'`

/** SQL: the processes that were present lately, and are not. */
const silentOnes = `(
  select * from processes where not ${isFresh} and seen_at > statement_timestamp() - interval '${newsMinutes} minutes')`

/**
 * SQL: the processes that have fallen silent and were not replaced. A process that started later replaces one of its
 * kind, so that a killed one is no news once its successor works.
 */
export const frozenOnes = `(
  select s.* from ${silentOnes} s
   where (select count(*) from processes n where n.kind = s.kind and n.started_at > s.seen_at and n.${isFresh})
       < (select count(*) from ${silentOnes} o where o.kind = s.kind and (o.seen_at, o.id) >= (s.seen_at, s.id)))`

/** SQL: the times at which the present processes started. */
export const presentSince = `(select min(started_at) from processes where ${isFresh})`

/** SQL: whether a process is frozen, or a loop is dead. */
export const isTroubled = `(
  exists (select from ${frozenOnes} f)
  or exists (select from processes p, jsonb_to_recordset(p.loops) as l (quiet float8, "limit" float8)
              where ${isFresh} and l.quiet > l.limit))`

/** SQL: the longest time since a sign of life of each loop, in present processes. */
export const quietLoops = `
  select l.name as loop, max(l.quiet + extract(epoch from statement_timestamp() - p.seen_at)) as value
    from processes p, jsonb_to_recordset(p.loops) as l (name text, quiet float8)
   where ${isFresh} group by l.name`

/** SQL: the shortest time without a sign of life after which a loop is dead, in present processes. */
export const loopLimits = `
  select l.name as loop, min(l."limit") as value
    from processes p, jsonb_to_recordset(p.loops) as l (name text, "limit" float8)
   where ${isFresh} group by l.name`

/** How long a process's report counts, in seconds: two may be late or lost. How long a silent one is news, in minutes. */
const freshSeconds = 15
const newsMinutes = 10

/** SQL about rows of `processes`: whether a process is present, and whether it was lately. */
export const isFresh = `seen_at > statement_timestamp() - interval '${freshSeconds} seconds'`
export const isNews = `seen_at > statement_timestamp() - interval '${newsMinutes} minutes'`

/** SQL: the times at which the present processes started. */
export const presentSince = `(select min(started_at) from processes where ${isFresh})`

/** SQL: whether a process is frozen, or a loop is dead. */
export const isTroubled = `(
  exists (select from processes where not ${isFresh} and ${isNews})
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

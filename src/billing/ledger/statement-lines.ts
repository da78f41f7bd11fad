/* The statements' SQL. A month is `[:start, :end)`; its entries have ids from `:from` to `:before`. */

const ofMonth = 'e.id >= :from and e.id < :before and e.created_at >= :start and e.created_at < :end'

/** Other entries have a line each. */
const isStep = "e.kind in ('step', 'failed_step', 'chat_step')"

/** The largest lines one by one, latest first, and one line per kind for the rest. */
const lines = (of: string, groups: Record<'workspace' | 'agent' | 'run' | 'entry', string>, owner: string): string => `
  with grouped as (
    select e.kind, ${groups.workspace} as workspace_id, ${groups.agent} as agent_id, ${groups.run} as run_id,
           ${groups.entry} as entry_id, count(*) as entries, sum(e.credits) as credits,
           min(e.created_at) as first_at, max(e.created_at) as last_at
      from ledger_entries e where ${of} and ${ofMonth}
     group by 1, 2, 3, 4, 5
  ), ranked as (
    select *, row_number() over (order by abs(credits) desc, last_at, agent_id, run_id) <= :atMost as is_shown
      from grouped
  ), shown as (
    select kind, workspace_id, agent_id, run_id, entry_id, entries, credits, first_at, last_at from ranked where is_shown
    union all
    select kind, null, null, null, null, sum(entries), sum(credits), min(first_at), max(last_at)
      from ranked where not is_shown group by kind
  )
  select s.kind, s.entries::int as entries, s.credits::bigint as credits, s.workspace_id as "workspaceId",
         s.agent_id as "agentId", a.name as "agentName", s.run_id as "runId", e.period, e.payment_id as "paymentId",
         e.grant_id as "grantId", g.note, g.expires_at as "expiresAt", s.first_at as "firstAt", s.last_at as "lastAt"
    from shown s
    -- The name of an agent that was moved away is its present owner's.
    left join agents a on a.id = s.agent_id and a.owner_id = ${owner}
    left join ledger_entries e on e.owner_id = :ownerId and e.id = s.entry_id
    left join credit_grants g on s.kind = 'promotion' and g.owner_id = :ownerId and g.id = e.grant_id
   order by s.first_at, s.last_at, s.kind, s.agent_id, s.run_id`

/** For an account: by workspace and agent. Chats form one line per workspace, and each non-step change has its own. */
export const accountLines = lines(
  'e.owner_id = :ownerId',
  {
    workspace: 'e.workspace_id',
    agent: 'e.agent_id',
    run: 'null::uuid',
    entry: `case when ${isStep} then null else e.id end`,
  },
  'coalesce(s.workspace_id, :ownerId)',
)

export const workspaceLines = lines(
  'e.workspace_id = :ownerId',
  { workspace: 'e.workspace_id', agent: 'e.agent_id', run: 'null::uuid', entry: 'null::uuid' },
  ':ownerId',
)

/** For an agent: by run, while it has belonged to its current owner. */
export const agentLines = lines(
  'e.agent_id = :agentId and coalesce(e.workspace_id, e.owner_id) = :ownerId',
  { workspace: 'e.workspace_id', agent: 'e.agent_id', run: 'e.run_id', entry: 'null::uuid' },
  ':ownerId',
)

/** An account's balance at the start of a month: the current one minus later changes. */
export const openingStatement = `
  select (a.balance - coalesce((select sum(e.credits) from ledger_entries e
            where e.owner_id = :ownerId and e.id >= :from and e.created_at >= :start), 0))::bigint as opening
    from accounts a where a.owner_id = :ownerId`

/** When the first entry was written. */
export const firstStatement = (isAccount: boolean): string => `
  select created_at as at from ledger_entries where ${isAccount ? 'owner_id' : 'workspace_id'} = (select :ownerId::uuid)
   order by id limit 1`

/** Model and tokens come from the step while its run is kept. A failed attempt has none there. */
export const runLines = `
  select e.kind, e.step, e.attempt, s.model, s.input_tokens as "inputTokens", s.cached_tokens as "cachedTokens",
         s.output_tokens as "outputTokens", e.cost_nano_usd as "costNanoUsd", e.price, e.held, e.credits,
         e.created_at as "createdAt"
    from ledger_entries e
    left join steps s on e.kind = 'step' and s.subject_id = :runId and s.step = e.step
   where (e.kind = 'step' or e.kind = 'failed_step') and e.run_id = :runId
   order by e.step, e.attempt nulls last`

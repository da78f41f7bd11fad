import type { Fault } from './fault.ts'

/** Grants, holds, caps and statements. */
export const ledger: Fault[] = [
  {
    id: 'ledger/bought-goes-first',
    file: 'src/billing/ledger/draw.ts',
    find: 'order by priority, expires_at',
    replace: 'order by priority desc, expires_at',
    why: 'bought credits are used while given ones expire',
    tests: ['test/src/billing/ledger/grants.test.ts'],
  },
  {
    id: 'ledger/debt-is-forgiven',
    file: 'src/billing/ledger/grants.ts',
    find: 'Math.min(credits, Math.max(0, balance))',
    replace: 'credits',
    why: 'what is left of a grant is more than the balance',
    tests: ['test/src/billing/ledger/grants.test.ts'],
  },
  {
    id: 'ledger/holds-of-others-do-not-count',
    file: 'src/billing/ledger/holds.ts',
    find: 'where a.owner_id = :payerId) - o.all_held,\n             (select a.credits_per_month',
    replace: 'where a.owner_id = :payerId),\n             (select a.credits_per_month',
    why: 'steps that begin at the same time all count on the last credit',
    tests: ['test/src/billing/ledger/holds.test.ts'],
  },
  {
    id: 'ledger/held-for-ever',
    file: 'src/runs/ending/end.ts',
    find: 'delete from credit_holds where subject_id = :runId',
    replace: 'delete from credit_holds where false and subject_id = :runId',
    why: 'a cancelled run holds credits that nobody can use',
    tests: ['test/src/billing/ledger/runs.test.ts'],
  },
  {
    id: 'ledger/cap-of-agents-is-not-asked',
    file: 'src/runs/step/decide.ts',
    find: 'standingFor(await billing.account(run.ownerId, trx), agent)',
    replace: 'standingFor(await billing.account(run.ownerId, trx), { creditsLeft: null })',
    why: 'a run whose agent has used up its cap does not say that it waits for that',
    tests: ['test/src/billing/ledger/runs.test.ts'],
  },
  {
    id: 'ledger/opening-of-today',
    file: 'src/billing/ledger/statement-lines.ts',
    find: 'e.id >= :from and e.created_at >= :start)',
    replace: 'e.id >= :from and e.created_at > now())',
    why: 'the statement of a month does not begin where the one before ends',
    tests: ['test/src/billing/ledger/statements.test.ts'],
  },
  {
    id: 'ledger/cells-are-calculated',
    file: 'src/csv.ts',
    find: "isFormula.test(cell) ? `'${cell}` : cell",
    replace: 'cell',
    why: 'the name of an agent is calculated by the spreadsheet program of whoever reads its statement',
    tests: ['test/src/csv.test.ts'],
  },
  {
    id: 'ledger/why-unknown',
    file: 'src/billing/ledger/statement-lines.ts',
    find: "left join credit_grants g on s.kind = 'promotion' and",
    replace: "left join credit_grants g on s.kind = 'grant' and",
    why: 'whoever was given credits does not learn why, and until when',
    tests: ['test/api/statements.test.ts'],
  },
]

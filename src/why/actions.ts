type Reading = { request: `GET ${string}`; loses: null }
type Changing = { request: `${'POST' | 'PUT' | 'PATCH' | 'DELETE'} ${string}`; loses: string }

/**
 * Every request that an answer may suggest, with its cost, as the end of "this …". Only requests that change nothing
 * may omit the cost. Answers name requests only through this table.
 */
export const actions = {
  readEvents: { request: 'GET /runs/{id}/events', loses: null },
  askWhy: { request: 'GET /runs/{id}/why', loses: null },
  readRefused: { request: 'GET /agents/{id}/refused-deliveries', loses: null },
  readSchedule: { request: 'GET /agents/{id}/schedule', loses: null },
  readBilling: { request: 'GET /billing', loses: null },
  listPayments: { request: 'GET /billing/payments', loses: null },
  readReadiness: { request: 'GET /readyz', loses: null },
  listWorkers: { request: 'GET /admin/workers', loses: null },
  skip: {
    request: 'POST /runs/{id}/skip',
    loses: 'abandons the run permanently, and its unfinished work stays undone unless you replay it',
  },
  cancel: {
    request: 'POST /runs/{id}/cancel',
    loses:
      'abandons the run permanently, its unfinished work stays undone unless you replay it, and the outcome of a call ' +
      'in progress may remain unknown',
  },
  replay: {
    request: 'POST /runs/{id}/replay',
    loses: "starts a new run, which uses credits or tokens and may repeat the earlier run's actions",
  },
  replayFailed: {
    request: 'POST /agents/{id}/replay',
    loses: 'starts a run for each failed delivery, which uses credits or tokens and may repeat earlier actions',
  },
  start: { request: 'POST /agents/{id}/runs', loses: 'uses credits or tokens' },
  deliver: {
    request: 'POST /api/webhooks/agent/{id}',
    loses: 'starts a run, which uses credits or tokens',
  },
  resume: {
    request: 'POST /agents/{id}/resume',
    loses: 'loses nothing, and waiting runs continue in order',
  },
  verifyAddress: { request: 'POST /auth/verify-email', loses: 'loses nothing' },
  changeAgent: { request: 'PATCH /agents/{id}', loses: "lets the agent's runs use more credits" },
  changeWorkspace: { request: 'PATCH /workspaces/{id}', loses: "lets the workspace use more of its owner's credits" },
  capAccount: { request: 'PATCH /billing', loses: 'lets everything your account pays for use more credits' },
  subscribe: { request: 'POST /billing/subscription', loses: 'charges your payment method' },
  authorize: {
    request: 'POST /vault/oauth/start',
    loses: 'loses nothing, because a new grant replaces the invalid one',
  },
  readApproval: { request: 'GET /approvals/{id}', loses: null },
  decide: {
    request: 'POST /approvals/{id}',
    loses: 'is final: an approved call is made with exactly these arguments, and a refused call is not made',
  },
  answer: {
    request: 'POST /approvals/{id}',
    loses: 'is final: the site gets exactly your values, and a refusal ends the call at the site',
  },
  replaceToken: { request: 'PATCH /vault/{id}', loses: 'loses nothing, because a new token replaces the invalid one' },
} as const satisfies Record<string, Reading | Changing>

type ActionName = keyof typeof actions

declare const made: unique symbol

/** Advice to the reader, as a sentence or clause. Only `advise` creates it. */
export type Advice = string & { readonly [made]: true }

/** A request as advice names it, with its cost. */
export function request(name: ActionName, id = ''): Advice {
  const { request: text, loses } = actions[name]
  const filled = text.replace('{id}', id)
  return (loses === null ? filled : `${filled} (this ${loses})`) as Advice
}

/** Builds advice from fixed text with requests, other advice or identifiers in between. */
export const advise = (words: TemplateStringsArray, ...between: (Advice | Identifier)[]): Advice =>
  String.raw({ raw: words }, ...between.map((one) => (typeof one === 'string' ? one : one.id))) as Advice

/** An identifier inside advice. */
interface Identifier {
  id: string
}

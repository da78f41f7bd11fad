import type {
  AnswerRow,
  CallRow,
  ChargeRow,
  EntryRow,
  FireRow,
  PaymentRow,
  RefreshRow,
  RunRow,
  StepRow,
} from './rows.ts'

/** What is known after a storm: the record, the sites' own logs, what senders were told, and the logs of all processes. */
export interface Evidence {
  /** What senders have been promised: each answer 202, in order of arrival. */
  receipts: Receipt[]
  /** What else was answered with success: each names what the record must have. */
  accepted: Accepted[]
  /** Chat messages that were answered to the end. */
  messages: string[]
  runs: RunRow[]
  answers: AnswerRow[]
  calls: CallRow[]
  steps: StepRow[]
  accounts: { ownerId: string; balance: number }[]
  entries: EntryRow[]
  approvals: { id: string; status: string }[]
  payments: PaymentRow[]
  /** What the payment provider has in its own tables. */
  charges: ChargeRow[]
  fires: FireRow[]
  /** The agents that start each minute, and the time in which they had to. */
  schedules: { agentId: string; from: number; until: number }[]
  /** The only agent whose credits may run out. */
  cappedAgentId: string
  /** The runs and answers for whose step credits are held. */
  holds: string[]
  /** What queries over the whole ledger have found. */
  contradictions: string[]
  /** The connections that had to be signed in again, each with the generation of the credential that died. */
  lostGrants: { entryId: string; generation: number }[]
  refreshes: RefreshRow[]
  /** What the OAuth server has logged of requests for tokens, in order of arrival. */
  tokenRequests: TokenRequest[]
  /** Every request that came to a tool of a site, in order of arrival. */
  arrivals: Arrival[]
  blows: Blow[]
  logs: { name: string; text: string }[]
  secrets: { name: string; value: string }[]
}

/** Times are milliseconds since 1970. */
export interface Receipt {
  agentId: string
  key: string
  runId: string
  sequence: number
  /** When it was first sent, and when its receipt arrived. */
  from: number
  until: number
}

export interface Accepted {
  what: 'direct call' | 'decision' | 'purchase'
  /** What the answer named. */
  id: string
  /** The state that was answered, if it was final. */
  status?: string
  /** The client's key. */
  key?: string
}

export const blowKinds = ['kill', 'freeze', 'cut', 'hold', 'delay', 'reset'] as const

export interface Blow {
  kind: (typeof blowKinds)[number]
  /** Of the process or the door. */
  name: string
  /** The site to which the door leads. */
  site: string | null
  /** Milliseconds since 1970. */
  from: number
  until: number
}

export interface TokenRequest {
  at: number
  grantType: string
  /** Of the answer; null: its connection was gone by then. */
  status: number | null
  error: string | null
  /** A fingerprint. */
  refreshToken: string | null
  consumedBefore: boolean
}

export interface Arrival {
  site: string
  key: string
  tool: string
  at: number
}

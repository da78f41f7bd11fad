/** What is known after a storm: the record, the sites' own logs, what senders were told, and the logs of all processes. */
export interface Evidence {
  /** What senders have been promised: each answer 202, in order of arrival. */
  receipts: Receipt[]
  /** Chat messages that were answered to the end. */
  messages: string[]
  runs: RunRow[]
  answers: AnswerRow[]
  calls: CallRow[]
  steps: StepRow[]
  accounts: { ownerId: string; balance: number }[]
  entries: EntryRow[]
  /** The runs and answers for whose step credits are held. */
  holds: string[]
  /** What queries over the whole ledger have found. */
  contradictions: string[]
  /** The connections that had to be signed in again, each with the generation of the credential that died. */
  lostGrants: { entryId: string; generation: number }[]
  refreshes: RefreshRow[]
  /** Every request that came to a tool of a site, in order of arrival. */
  arrivals: Arrival[]
  /** When connections to sites were held or slow, so that requests could arrive long after they were sent. */
  slowRoads: { from: number; until: number }[]
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

export interface RunRow {
  id: string
  agentId: string
  sequence: number
  key: string | null
  status: string
  reason: string | null
  startedAt: number | null
  endedAt: number | null
}

export interface AnswerRow {
  id: string
  messageId: string
  clientId: string | null
  status: string
  errorCode: string | null
  endedAt: number | null
}

export interface CallRow {
  /** The run or answer; null for a direct call. */
  subjectId: string | null
  step: number
  id: string
  /** What the site's log names the call by. */
  key: string
  effect: string
  status: string
  tool: string
  startedAt: number | null
  endedAt: number | null
}

export interface StepRow {
  subjectId: string
  step: number
  credits: number
}

export interface EntryRow {
  id: string
  ownerId: string
  credits: number
  kind: string
  runId: string | null
  answerId: string | null
  step: number | null
  attempt: number | null
  paymentId: string | null
}

export interface RefreshRow {
  entryId: string
  /** The generation of the credential that was refreshed. */
  generation: number
  /** null: its process died. */
  outcome: string | null
}

export interface Arrival {
  site: string
  key: string
  tool: string
  at: number
}

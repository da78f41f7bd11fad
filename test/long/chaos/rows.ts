/* What the judge reads of the record. Times are milliseconds since 1970. */

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
  onDisconnect: string
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
  /** How often it has begun. */
  attempts: number
  /** When it began last. */
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
  startedAt: number
  endedAt: number | null
}

export interface PaymentRow {
  id: string
  ownerId: string
  purpose: string
  status: string
  credits: number | null
  cents: number
  reference: string | null
  requestKey: string | null
}

export interface ChargeRow {
  ownerId: string
  reference: string
  key: string | null
  status: string
  cents: number
}

export interface FireRow {
  agentId: string
  runId: string | null
  nominalAt: number
  outcome: string
  reason: string | null
}

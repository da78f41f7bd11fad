import type { SiteCall } from '../../../../tools/call-site.ts'

/** What is needed to ask about a task. It is stored with the call, as a text. */
export interface Ticket {
  taskId: string
  /** The session that it was created in; absent if the server keeps none. */
  sessionId?: string | undefined
}

export const ticketOf = (ticket: Ticket): string => JSON.stringify(ticket)

/** The task that a call is about. */
export const taskIn = ({ job }: Pick<SiteCall, 'job'>): Partial<Ticket> =>
  job === undefined ? {} : (JSON.parse(job) as Ticket)

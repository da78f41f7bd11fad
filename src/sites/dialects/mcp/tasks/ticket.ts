/** What is needed to ask about a task. It is stored with the call, as a text. */
export interface Ticket {
  taskId: string
}

export const ticketOf = (taskId: string): string => JSON.stringify({ taskId } satisfies Ticket)

export const readTicket = (job: string): Ticket => JSON.parse(job) as Ticket

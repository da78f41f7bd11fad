import type { Client } from '@temporalio/client'

/** What executions leave in Temporal. */
export interface Histories {
  events: number
  bytes: number
  /** Billable actions by kind. */
  actions: Record<ActionKind, number>
}

type Event = NonNullable<
  Awaited<ReturnType<ReturnType<Client['workflow']['getHandle']>['fetchHistory']>>['events']
>[number]

/**
 * The events that Temporal Cloud bills, by the name of their attributes. It bills the local activities of one workflow
 * task as one; here each marker counts.
 */
const billed = {
  starts: 'workflowExecutionStartedEventAttributes',
  signals: 'workflowExecutionSignaledEventAttributes',
  activities: 'activityTaskScheduledEventAttributes',
  'local activities': 'markerRecordedEventAttributes',
  timers: 'timerStartedEventAttributes',
  'changes of search attributes': 'upsertWorkflowSearchAttributesEventAttributes',
} as const satisfies Record<string, keyof Event>

export type ActionKind = keyof typeof billed

export const actionKinds = Object.keys(billed) as ActionKind[]

export const actionsIn = (events: Event[]): Record<ActionKind, number> =>
  Object.fromEntries(actionKinds.map((kind) => [kind, events.filter((event) => event[billed[kind]]).length])) as Record<
    ActionKind,
    number
  >

/** What a closed workflow and its children left in Temporal. Throws unless it had this many children. */
export async function historiesOf(client: Client, workflowId: string, children: number) {
  const { events, ...parent } = await read(client, workflowId)
  const ids = events.flatMap(({ childWorkflowExecutionStartedEventAttributes: started }) =>
    started?.workflowExecution?.workflowId ? [started.workflowExecution.workflowId] : [],
  )
  if (ids.length !== children) throw new Error(`${workflowId} had ${ids.length} children instead of ${children}`)
  const each: Histories[] = []
  for (const id of ids) {
    const { events: found, ...child } = await read(client, id)
    each.push({ events: found.length, ...child })
  }
  return { parent: { events: events.length, ...parent }, children: sumOf(each) }
}

async function read(client: Client, workflowId: string) {
  const handle = client.workflow.getHandle(workflowId)
  const { events } = await handle.fetchHistory()
  const { historySize } = await handle.describe()
  if (!events || historySize === undefined) throw new Error(`Temporal has no history of ${workflowId}`)
  return { events, bytes: historySize, actions: actionsIn(events) }
}

export function sumOf(all: Histories[]): Histories {
  const sum = (figure: (one: Histories) => number) => all.reduce((total, one) => total + figure(one), 0)
  const actions = actionKinds.map((kind) => [kind, sum((one) => one.actions[kind])])
  return {
    events: sum(({ events }) => events),
    bytes: sum(({ bytes }) => bytes),
    actions: Object.fromEntries(actions) as Record<ActionKind, number>,
  }
}

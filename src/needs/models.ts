import type { Outage } from '../outages/outage.ts'
import { outageTimeLeft } from '../runs/time-left.ts'
import { advise } from '../why/actions.ts'
import { utcTime } from '../why/cause.ts'
import { waitingFor, type AgentState } from './agent-state.ts'
import { counted, needOf, type Need } from './need.ts'

type Budgets = Parameters<typeof outageTimeLeft>[2]

/** The default model, and how long runs may wait. */
export interface ModelSettings {
  now: Date
  defaultModel: string
  budgets: Budgets
}

/** The item of a model that is out; none if no agent uses it and no run waits for it. */
export function modelNeeds(
  { model, beganAt: since, message }: Pick<Outage, 'model' | 'beganAt' | 'message'>,
  agents: readonly AgentState[],
  { now, defaultModel, budgets }: ModelSettings,
): Need[] {
  const users = agents.filter((agent) => (agent.model ?? defaultModel) === model)
  const waiting = waitingFor(agents, 'model', model)
  if (users.length === 0 && waiting.length === 0) return []
  const left = waiting.map((run) => outageTimeLeft(run, since, budgets, now))
  const until = left.length === 0 ? null : new Date(now.getTime() + Math.min(...left))
  const used = users.length === 0 ? '' : ` ${counted(users.length, 'agent')} ${users.length === 1 ? 'uses' : 'use'} it.`
  const end = until ? ` The first waiting run will fail at ${utcTime(until)}.` : ''
  return [
    needOf({
      kind: 'model',
      since,
      until,
      message: `The AI model ${model} has been unavailable since ${utcTime(since)}. ${message}${used}${end}`,
      action: advise`Waiting runs continue automatically when the model is available. An agent with a fallback model does not wait.`,
      model,
      count: waiting.length,
    }),
  ]
}

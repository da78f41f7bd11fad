import { endReasons, type EndReason } from '../../src/runs/states.ts'
import type { FilledAgent } from './agents.ts'

/** How a past run was started, and how it ended. */
export interface Past {
  trigger: FilledAgent['trigger']
  status: 'completed' | 'failed' | 'cancelled' | 'skipped'
  reason: EndReason | null
}

const completed = { status: 'completed', reason: null } as const
const failed = { status: 'failed', reason: 'MODEL_ERROR' } as const
const cancelled = { status: 'cancelled', reason: 'CANCELLED_BY_OWNER' } as const
const skipped = { status: 'skipped', reason: 'OVERLAP' } as const

/** The few exceptional runs of the biggest agent, by sequence. They are the oldest, and so the last to be found. */
function rare(sequence: number): Past | undefined {
  if (sequence < 5 || sequence > 54) return undefined
  if (sequence < 20) return { trigger: 'webhook', ...failed }
  if (sequence < 27) return { trigger: 'webhook', ...cancelled }
  if (sequence < 34) return { trigger: 'scheduled', ...skipped }
  if (sequence < 47) return { trigger: 'manual', ...completed }
  if (sequence < 53) return { trigger: 'scheduled', ...completed }
  return { trigger: 'manual', ...failed }
}

/** The start and the end of the agent's next run. */
export function choosePast(agent: FilledAgent, sequence: number, random: () => number): Past {
  if (agent.isSteady) return (agent.number === 0 && rare(sequence)) || { trigger: agent.trigger, ...completed }
  const trigger = random() < 0.02 ? 'manual' : agent.trigger
  const chance = random()
  if (chance < 0.04) return { trigger, ...failed }
  if (chance < 0.055) return { trigger, ...cancelled }
  if (chance < 0.07 && trigger === 'scheduled') return { trigger, ...skipped }
  return { trigger, ...completed }
}

export const sentenceOf = (reason: EndReason | null): string | null => (reason ? endReasons[reason] : null)

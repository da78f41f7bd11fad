import type { CanaryState, Stage } from '../../canary/canary.ts'
import { failing, fine, type Check } from '../finding.ts'

/**
 * Whether a delivery passes through the platform. It says nothing if a part that it passes has a finding of its own.
 */
export const canary: Check<{ canary: { state: () => Promise<CanaryState> } }> = {
  name: 'canary',
  needs: ['schema', 'clock', 'vault keys', 'temporal', 'search attributes', 'workers', 'processes', 'loops'],
  async look({ canary: { state } }) {
    const { status, message, failedStage } = await state()
    if (status !== 'failing') return fine(message)
    return failing(message, fixes[failedStage ?? 'accept'])
  },
}

const fixes: Record<Stage, string> = {
  accept: 'Let all processes reach the API at BASE_URL, or set CANARY_URL. See docs/operate/canary.md.',
  queue: 'Look at the workers and at Temporal. See docs/operate/at-3-am.md.',
  run: 'Look at the logs of the workers. See docs/operate/at-3-am.md.',
  callback: 'Let workers reach the API at BASE_URL, or set CANARY_URL. See docs/operate/canary.md.',
  process: 'Restart the process.',
  loop: 'Restart the process.',
}

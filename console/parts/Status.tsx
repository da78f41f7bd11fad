import type { Api } from '../api/client.ts'
import styles from './Status.module.css'

type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'calm'

const tones: Record<Api['RunStatus'], Tone> = {
  queued: 'calm',
  running: 'busy',
  waiting: 'warn',
  completed: 'good',
  failed: 'bad',
  cancelled: 'calm',
  skipped: 'calm',
}

/** A word with a dot. The word alone says it, so the colour is only a help. */
export const Badge = ({ tone, children }: { tone: Tone; children: string }) => (
  <span className={`${styles.badge} ${styles[tone]}`}>{children}</span>
)

export const Status = ({ status }: { status: Api['RunStatus'] }) => <Badge tone={tones[status]}>{status}</Badge>

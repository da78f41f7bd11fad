type HealthStatus = 'ok' | 'warning' | 'failing'

/** What a check saw. `message` and `fix` are sentences for operators, and never contain a secret. */
export interface Finding {
  status: HealthStatus
  message: string
  /** What to do; null if all is well. */
  fix: string | null
}

/** One check of an installation. `look` may throw, and may take too long; `examine` bounds it. */
export interface Check<Context> {
  name: string
  /** Earlier checks that must not fail before this one says anything: without Postgres, each would repeat that. */
  needs?: readonly string[]
  /** How long `look` may take, if not the usual few seconds. */
  longestMs?: number
  look: (context: Context) => Promise<Finding>
}

export const fine = (message: string): Finding => ({ status: 'ok', message, fix: null })
export const warning = (message: string, fix: string): Finding => ({ status: 'warning', message, fix })
export const failing = (message: string, fix: string): Finding => ({ status: 'failing', message, fix })

export const isFailing = ({ status }: Finding): boolean => status === 'failing'

/** The worst of several findings of one check; `fine` if none is worse. */
export function worst(findings: readonly Finding[], otherwise: Finding): Finding {
  return findings.find(isFailing) ?? findings.find(({ status }) => status === 'warning') ?? otherwise
}

/** The worst of several statuses. */
export const worstOf = (statuses: readonly HealthStatus[]): HealthStatus =>
  (['failing', 'warning'] as const).find((status) => statuses.includes(status)) ?? 'ok'

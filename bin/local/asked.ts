/** How often a process under npm checks that npm is still alive. */
const lookEveryMs = 500

/**
 * Calls back whenever this process is asked to stop: by Ctrl-C, by a signal, or by the end of the npm that runs it. npm
 * sends SIGTERM to the shell between us, which does not forward it; we only see our parent change.
 */
export function onAskedToStop(environment: Record<string, string>, asked: () => void): void {
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, asked)
  if (environment['npm_lifecycle_event'] === undefined) return
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    asked()
  }, lookEveryMs)
  timer.unref()
}

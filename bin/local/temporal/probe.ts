import { execa } from 'execa'

/**
 * What a program prints, or undefined if it is not there, fails, or has not ended after so many seconds. It is killed
 * then, with its descendants: no start may hang on a program that it only asks.
 */
export async function probe(command: string, args: string[], env: Record<string, string>, seconds = 10) {
  const { failed, stdout } = await execa(command, args, {
    env,
    extendEnv: false,
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: seconds * 1000,
    killSignal: 'SIGKILL',
    killDescendants: true,
    reject: false,
  })
  return failed ? undefined : stdout
}

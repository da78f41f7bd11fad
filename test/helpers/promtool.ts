import { execa } from '../../bin/execa.ts'

/** Runs promtool. Rejects with what it printed. */
export const promtool = (args: string[], input = ''): PromiseLike<unknown> => execa('promtool', args, { input })

import { behaviours } from './behaviours.ts'

/** A valid manifest: the faults show only when tools are called. */
export function createManifest(origin: string) {
  return {
    name: 'Example of bad tools',
    version: '1.0.0',
    description: 'Tools that fail, hang, refuse or return nonsense, to test how the platform reacts.',
    server: { url: `${origin}/api` },
    auth: { type: 'bearer' },
    tools: Object.entries(behaviours).map(([name, { description, effect, input_schema }]) => {
      return { name, description, effect, input_schema }
    }),
  }
}

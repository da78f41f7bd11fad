import type { Json } from './client.ts'

/** The printed form of a timeline event: its number, its kind, and the most useful part of its data. */
export function inWords({ number, kind, data }: { number: number; kind: string; data: Json }): string {
  const told = sentences[kind]?.(data) ?? JSON.stringify(data)
  return `#${number} ${kind} ${cut(told)}`.trimEnd()
}

const sentences: Record<string, (data: Json) => string> = {
  accepted: ({ trigger, sequence, ahead }) =>
    `by ${String(trigger)}, delivery ${String(sequence)}, ${String(ahead)} ahead of it`,
  started: () => '',
  'step.started': ({ step }) => `step ${String(step)}`,
  'step.finished': ({ model, text }) => `${String(model)}: ${String(text)}`,
  'tool.started': (data) => `${String(data['tool'])} ${JSON.stringify(data['arguments'])}`,
  'tool.finished': (data) => `${String(data['status'])}: ${JSON.stringify(data['result'])}`,
  ended: ({ status }) => String(status),
}

/** One line of a wide terminal. */
const cut = (text: string): string => (text.length > 120 ? `${text.slice(0, 120)} …` : text)

/*
 * Everything that runs in the threads of a process (`src/threads/`), in one module, because all of it shares
 * them: a stranger decides how long it takes. Texts go in and come out, because to clone a value of many small parts
 * keeps the event loop longer than to parse it.
 */
import { getPriority, setPriority } from 'node:os'
import { isMainThread } from 'node:worker_threads'

/** The event loop goes first where processors are short. Linux gives each thread its own priority, others only a process. */
if (!isMainThread && process.platform === 'linux') setPriority(Math.min(getPriority() + 5, 19))

export { outlineOfChat } from './chat/outline.ts'
export { outlineOf } from './json-outline.ts'
export { hideJson } from './hiding/in-thread.ts'
export { hideContent, promptOfChat } from './models/in-thread.ts'
export { checkOutputSchema, readOutput } from './outputs/in-thread.ts'
export { checkArguments, compareTexts, readManifest } from './sites/in-thread.ts'
export { readAnswer, readRefusal } from './tools/site-answer.ts'
export { readableJson } from './outputs/exact-json.ts'
export { factsOfPayload } from './webhooks/payload-facts.ts'

/*
 * Everything that runs in a process's threads (`src/threads/`), because strangers' input decides how long it takes.
 * Arguments and results are texts: cloning a value of many small parts blocks the event loop longer than parsing it.
 */
import { getPriority, setPriority } from 'node:os'
import { isMainThread } from 'node:worker_threads'

/**
 * Gives the event loop priority where processors are short. Linux has a priority per thread, other systems per process.
 */
if (!isMainThread && process.platform === 'linux') setPriority(Math.min(getPriority() + 5, 19))

export { outlineOfChat } from './chat/outline.ts'
export { outlineOfUpload } from './documents/outline.ts'
export { outlineOf } from './json-outline.ts'
export { hideJson } from './hiding/in-thread.ts'
export { promptOfChat } from './loop/in-thread.ts'
export { hideContent } from './models/in-thread.ts'
export { checkOutputSchema, readOutput } from './outputs/in-thread.ts'
export { readManifest } from './sites/dialects/manifest/in-thread.ts'
export { readDocument } from './sites/dialects/openapi/document/read-document.ts'
export { readTools } from './sites/dialects/mcp/read-tools.ts'
export { readToolResult } from './sites/dialects/mcp/tool-result.ts'
export { trimMessage } from './sites/dialects/mcp/trim-message.ts'
export { checkArguments, compareTexts } from './sites/in-thread.ts'
export { readAnswer, readRefusal } from './tools/site-answer.ts'
export { readableJson } from './outputs/exact-json.ts'
export { factsOfPayload } from './webhooks/payload-facts.ts'

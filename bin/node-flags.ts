/**
 * Flags of Node for an API or a worker process, also in package.json, the Dockerfile and docker-compose.yml. By default,
 * V8 lets its space for new objects grow to more than 100 MB, and the heap to four times what it needs. Both cost memory
 * and bring no speed. With less space for new objects than this, those of requests under way would count as old.
 */
export const nodeFlags = ['--max-semi-space-size=16', '--heap-growing-percent=20']

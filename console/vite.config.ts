import optimizeLocales from '@react-aria/optimize-locales-plugin'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

/** Styles before scripts: the first words are shown without waiting for scripts, of which a browser reads six at a time. */
const stylesFirst: Plugin = {
  name: 'styles-first',
  transformIndexHtml: {
    order: 'post',
    handler(html) {
      const styles = html.match(/ *<link rel="stylesheet".*>\n/g) ?? []
      const others = styles.reduce((rest, style) => rest.replace(style, ''), html)
      return others.replace(/ *<script type="module"/, (script) => styles.join('') + script)
    },
  },
}

/** `npm run build` and the first `npm start` build the console into `console/dist`; the API serves it under `/console`. */
// oxlint-disable-next-line import/no-default-export -- Vite reads the default export
export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react(), { ...optimizeLocales.vite({ locales: ['en-US'] }), enforce: 'pre' }, stylesFirst],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'baseline-widely-available',
    // The policy of the page allows no `data:` addresses for fonts and styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
})

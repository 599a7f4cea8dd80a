// How the dashboard is built, and served while one works on it.
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const server = 'http://127.0.0.1:3000'
const paths = ['/v1', '/admin', '/session', '/oauth', '/login', '/logout', '/docs', '/pages.css']

export default defineConfig({
  plugins: [react()],
  build: {
    target: 'es2023',
    // Sources are in the repository; maps would only double the build.
    sourcemap: false,
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1000,
  },
  server: { proxy: Object.fromEntries(paths.map(path => [path, { target: server }])) },
})

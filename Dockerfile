# The hub: `docker build --target hub .`; what checks robots and models: `docker build --target worker .`.
# `npm run image:check` builds and starts both, also on a machine without Docker.
ARG NODE=node:24.21.0-trixie-slim

FROM ${NODE} AS manifests
WORKDIR /hub
COPY package.json package-lock.json .npmrc ./
COPY packages/check-worker/package.json packages/check-worker/
COPY packages/cli/package.json packages/cli/
COPY packages/client/package.json packages/client/
COPY packages/dataset/package.json packages/dataset/
COPY packages/embodiment/package.json packages/embodiment/
COPY packages/formats/package.json packages/formats/
COPY packages/mjcf/package.json packages/mjcf/
COPY packages/policy-server/package.json packages/policy-server/
COPY packages/robot-card/package.json packages/robot-card/
COPY packages/robot-view/package.json packages/robot-view/
COPY packages/rollout/package.json packages/rollout/
COPY packages/runner/package.json packages/runner/
COPY packages/tensorboard/package.json packages/tensorboard/
COPY packages/testing/package.json packages/testing/
COPY packages/text/package.json packages/text/
COPY packages/track/package.json packages/track/

FROM manifests AS build
RUN npm ci --ignore-scripts
COPY . .
RUN npm run --silent prepare && npm run --silent build

# What a server installs: the root's dependencies, and of the packages in packages/ none, since they are in dist/. Optional
# ones are a second Node and an embedded PostgreSQL. Types and source maps are read by nothing that runs.
FROM manifests AS hub-packages
RUN npm ci --omit=dev --omit=optional --workspaces=false --ignore-scripts \
 && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete

# A worker runs models, MuJoCo and a browser that draws; the hub runs none of them, and a worker none of the hub.
FROM manifests AS worker-packages
RUN npm ci --omit=dev --omit=optional --ignore-scripts -w hub -w @hub/check-worker -w @hub/policy-server -w @hub/rollout \
 && find node_modules \( -type l -lname '*/packages/*' \) -delete \
    -o -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete

FROM ${NODE} AS hub
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000 HUB_DATA_DIR=/data
WORKDIR /hub
RUN install -d -o 1000 -g 1000 -m 0700 /data
COPY --from=hub-packages /hub/node_modules node_modules
COPY --from=build /hub/dist dist
COPY --from=build /hub/package.json ./
USER 1000:1000
VOLUME /data
EXPOSE 4000
# The hub's own handler: it ends streams, finishes requests and jobs, and exits within a minute.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=64", "dist/main.js"]

FROM ${NODE} AS worker
ENV NODE_ENV=production
WORKDIR /hub
# Checks have stills with `--build-arg CHROMIUM=chromium`.
ARG CHROMIUM=""
RUN if [ -n "$CHROMIUM" ]; then apt-get update && apt-get install -y --no-install-recommends "$CHROMIUM" && rm -rf /var/lib/apt/lists/*; fi
COPY --from=worker-packages /hub/node_modules node_modules
COPY --from=build /hub/dist dist
COPY --from=build /hub/package.json ./
USER 1000:1000
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "dist/worker.js"]
CMD ["check-worker", "--help"]

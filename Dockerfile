# One image for the web server, the worker and the one-time setup; docker-compose.yml says which is which.
FROM node:22.20.0-bookworm-slim AS scripts

WORKDIR /app
COPY package.json .
COPY package-lock.json .
RUN npm ci --no-fund --no-audit
COPY scripts/bundle.mjs scripts/
COPY templates templates
COPY static static
RUN npm run --silent bundle

FROM python:3.13.5-slim-bookworm

ENV PYTHONUNBUFFERED=1 PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 KSCHEDUI_ENV=production
WORKDIR /app

# Letters for the pictures that links show elsewhere.
RUN apt-get update && apt-get install -y --no-install-recommends fonts-dejavu-core fonts-wqy-microhei \
 && rm -rf /var/lib/apt/lists/*

COPY requirements.lock .
RUN pip install --require-hashes --only-binary :all: -r requirements.lock

COPY manage.py .
COPY scheduler_core scheduler_core
COPY templates templates
COPY static static
COPY locale locale
COPY kschedui kschedui
COPY --from=scripts /app/build build
# The key serves this one command only and is not part of the image.
RUN SECRET_KEY=for-collecting-static-files-only python manage.py collectstatic --noinput --verbosity 0 \
 && python -m compileall -q kschedui scheduler_core \
 && useradd --system --no-create-home kschedui
USER kschedui

EXPOSE 8000
CMD ["python", "-m", "kschedui.supervisor.web", "0.0.0.0", "8000"]

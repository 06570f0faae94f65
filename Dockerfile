# The image of ports and workers: the wheel, what it needs by hash, and a user who owns nothing.

FROM python:3.13-slim-bookworm AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /build
COPY requirements ./requirements
RUN python -m venv /app \
    && /app/bin/pip install --require-hashes -r requirements/image.txt \
    && python -m venv tools \
    && tools/bin/pip install --require-hashes -r requirements/build.txt
COPY pyproject.toml README.md LICENSE ./
COPY broker ./broker
COPY port ./port
COPY workers ./workers
RUN tools/bin/pip wheel --no-deps --no-build-isolation --wheel-dir dist . \
    && /app/bin/pip install --no-deps --no-index dist/*.whl

FROM python:3.13-slim-bookworm
RUN useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin onefate
COPY --from=build /app /app
ENV PATH=/app/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
USER 10001:10001
ENTRYPOINT ["onefate"]
CMD ["--help"]

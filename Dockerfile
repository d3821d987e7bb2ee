# `make pin-images` pins the base image by its digest.
FROM python:3.12-slim AS build
WORKDIR /src
COPY .ci/requirements.txt .ci/requirements-build.txt .ci/
RUN pip install --no-cache-dir --require-hashes -r .ci/requirements-build.txt \
 && python -m venv /opt/wattline \
 && /opt/wattline/bin/pip install --no-cache-dir --require-hashes -r .ci/requirements.txt
COPY . .
RUN pip wheel --no-cache-dir --no-index --no-deps --no-build-isolation --wheel-dir /dist . \
 && /opt/wattline/bin/pip install --no-cache-dir --no-index --no-deps /dist/*.whl

FROM python:3.12-slim
RUN useradd --system --create-home --home-dir /var/lib/wattline wattline
COPY --from=build /opt/wattline /opt/wattline
ENV PATH=/opt/wattline/bin:$PATH WATTLINE_DATA_DIR=/var/lib/wattline
USER wattline
EXPOSE 8000
ENTRYPOINT ["wattline"]
CMD ["up", "--host", "0.0.0.0"]
